/**
 * A round over all users, or as much of it as one poll may take: what is new, and what to remember of it. A user who cannot be
 * read is set aside; only what concerns everybody is thrown.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/connect';
import { userPrefix } from '../service/readingId';
import { everybody, type Reasons } from './behind';
import type { EventResult, Reach, Scope, TriggerEvent } from './events';
import { findNew, toItem } from './findNew';
import { counted, goingOn, OVERLAP, progress, whoLeft } from './goOn';
import { handOn, MAX_ROWS, type Found } from './handOn';
import { keyOf, MemberList, traceOf } from './members';
import { SeenReadings } from './seen';
import { moveWindow, type Behind, type Round, type TriggerState } from './state';

export interface RoundOptions {
	/** ms, before anything was read: what arrives while reading must not fall out of the window. */
	now: number;
	/** ms */
	lookback: number;
	/** By `performance.now()`: no user is begun after that. */
	deadline: number;
	/** How long this poll may take, in ms. */
	budgetMs: number;
	/** Whether watching begins with this very poll. */
	begins: boolean;
	/** Rows that are not handed on, though remembered. */
	isWanted: (row: IDataObject) => boolean;
}

export interface RoundResult {
	/** In the order of time. */
	items: IDataObject[];
	/** To remember once the items are handed on. */
	state: TriggerState;
	/** Why users could not be read. */
	reasons: Reasons;
	/** How many of those who were behind have been read. */
	healed: number;
	/** Set, and nothing else of use, when these are the users of another team than before. */
	otherTeam?: string;
}

export async function readRound(
	get: Get,
	event: TriggerEvent,
	scope: Scope,
	state: TriggerState,
	options: RoundOptions,
): Promise<RoundResult> {
	const { now, lookback, deadline, budgetMs, begins, isWanted } = options;
	const seen = new SeenReadings(state.seen);
	const behind: Record<string, Behind> = { ...state.behind };
	const members = new MemberList(scope.usersToRead.entries, state.members, behind);
	const reasons: Reasons = new Map();
	const round: Round = { ...(state.round ?? { at: 0, last: [], began: now }) };
	// A window that lies too late, after a clock was wrong, goes back as far as everything is remembered.
	const start = state.since === undefined && state.from <= now - lookback ? state.from : state.kept;
	const fresh: Found[] = [];
	const done: Array<{ key?: string; trace: string; place: number; healed: boolean }> = [];
	let team = state.team;
	let fine = 0;

	const take = (result: EventResult) => {
		const { rows, isGone, problem, place } = result;
		const isNew = members.isNew(result);
		members.meet(result);
		const key = keyOf(result);
		const late = key === undefined ? undefined : behind[key];
		const window = late ?? { from: start, since: isNew ? now : state.since };
		if (problem) {
			reasons.set(key!, problem);
			// From `kept`: a clock may have put `start` too far ahead.
			behind[key!] = { ...(late ?? { from: state.kept, since: window.since }), met: round.began };
		} else {
			fine++;
			const until = begins || isNew ? Date.now() : undefined;
			const looked = findNew(event, rows, seen, { from: window.from, since: window.since, until });
			for (const row of looked.old) seen.remember(row);
			for (const row of looked.fresh) {
				if (isWanted(row.row)) fresh.push({ row, done: done.length });
				else seen.remember(row);
			}
			if (looked.newest !== undefined && !late) round.newest = Math.max(round.newest ?? looked.newest, looked.newest);
			if (isGone && late) delete behind[key!];
		}
		done.push({ key, trace: traceOf(result), place, healed: Boolean(late && !problem && !isGone) });
	};
	const isTimeUp = () => performance.now() >= deadline;
	/** Somebody whom the end of the budget cut off is read in the next poll, unless they alone took most of it. */
	const wasCutOff = ({ problem, tookMs = 0 }: EventResult) =>
		problem !== undefined && isTimeUp() && tookMs < budgetMs / 2;

	const reach: Reach = {
		sinceOf: (userId = '') => behind[userId]?.from ?? start,
		window: { offset: Math.max(0, round.at - OVERLAP) },
		triesFor: ({ user_id }) => (state.behind[user_id] ? 1 : undefined),
		// Whoever is known to be trouble must not use up the poll of the others.
		withinFor: ({ user_id }) => Math.min(deadline - performance.now(), state.behind[user_id] ? budgetMs / 2 : Infinity),
		isTimeUp,
	};
	const list = counted(members.findingAgain(goingOn(scope.usersToRead, state.round)));
	for await (const result of event.read(get, { ...scope, usersToRead: list }, reach)) {
		const isFirst = done.length === 0 && (round.at === 0 || result.place <= OVERLAP);
		const hash = isFirst && result.team !== undefined ? userPrefix(result.team) : team;
		if (team !== undefined && hash !== team) return { items: [], state, reasons, healed: 0, otherTeam: hash };
		team = hash;
		if (wasCutOff(result)) break;
		take(result);
		if (fresh.length >= MAX_ROWS) break;
	}
	let isWhole = fresh.length < MAX_ROWS && (!isTimeUp() || list.count === done.length);
	if (isWhole) {
		if (members.isGiven) members.forgetOthers();
		const met = new Set(done.map(({ key }) => key));
		const isMet = (id: string) => met.has(id) || (state.round && behind[id].met === round.began);
		const left = members.isGiven ? [] : Object.keys(behind).filter((id) => !isMet(id));
		const gone = left.length > 0 ? event.read(get, { ...scope, usersToRead: whoLeft(left) }, reach) : [];
		for await (const result of gone) if (!wasCutOff(result)) take({ ...result, place: round.at });
		if (fine === 0 && reasons.size > 0 && !state.round) throw everybody(reasons);
	}

	const { handed, doneCount } = handOn(fresh, { doneCount: done.length, now });
	for (const row of handed) seen.remember(row);
	if (doneCount < done.length) isWhole = false;
	const finished = done.slice(0, doneCount);
	for (const { key, healed } of finished) if (healed) delete behind[key!];

	const window = isWhole ? moveWindow(state, { now: round.began, newest: round.newest }, lookback) : state;
	const users = Object.entries(behind).map(([key, { from }]) => ({ prefix: members.prefixOf(key), from }));
	return {
		items: handed.map((row) => toItem(event, row)),
		reasons,
		healed: finished.filter(({ healed }) => healed).length,
		state: {
			version: 1,
			node: state.node,
			of: state.of,
			...(team !== undefined && { team }),
			turn: state.turn + (handed.length > 0 ? 1 : 0),
			from: window.from,
			kept: window.kept,
			...(!isWhole && { since: state.since, round: progress(round, finished) }),
			seen: seen.seenFrom(window.kept, users),
			behind,
			...(members.isGiven && { members: members.toSave() }),
		},
	};
}
