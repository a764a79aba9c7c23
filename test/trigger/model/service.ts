/**
 * The service of a history, as n8n's request helper would bring its answers: in this process, with every fault a history may
 * draw. What it served in a poll is written down for the oracle.
 */
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Fault, PollRecord, UserFault, RateLimit } from './faults';
import type { VirtualTime } from '../../helpers/virtualTime';
import { valueAt, type ModelWorld, type Person } from './world';
import { answer, groupWith, malformed, throttledAnswer, userOf, type Answer } from './wire';

/** Of a user whose pages never end. */
export const HANG_PAGE_MS = 10_000;

export class ModelService {
	readonly faults = new Map<Person, UserFault>();
	fault?: Fault;
	latencyMs = 0;
	/** Answers take between `latencyMs` and this much longer. */
	spreadMs = 0;
	/** Whether the list answers at once. */
	isListQuick = false;
	limit?: RateLimit;
	/** Whether answers have a `Date`. */
	sendsDate = false;
	/** By how much that is wrong. */
	dateError = 0;
	pageSize = 3;
	/** The most users on a page of the list. */
	listPage = 500;
	/** Whether a page that begins at the end of the list is refused. */
	refusesEnd = false;
	overlaps = false;
	/** Whether the list shows no user. */
	isListEmpty = false;
	/** Users for whom Resolve gives the ID of another. */
	readonly resolvesTo = new Map<Person, Person>();
	private turn = 0;
	/** Key → team. */
	readonly keys = new Map<string, string>();

	constructor(
		private readonly world: ModelWorld,
		private readonly time: VirtualTime,
	) {}

	async request(record: PollRecord, key: string, options: IHttpRequestOptions): Promise<Answer> {
		const { headers, ...rest } = await this.answer(record, key, options);
		const date = this.sendsDate ? { date: new Date(this.time.now + this.dateError).toUTCString() } : {};
		return { ...rest, headers: { ...headers, ...date } };
	}

	private async answer(record: PollRecord, key: string, options: IHttpRequestOptions): Promise<Answer> {
		const { pathname, searchParams } = new URL(options.url);
		const isList = pathname === '/v2/user';
		const number = ++record.requests;
		if (record.isDead) return await new Promise<never>(() => undefined);
		const isExempt = isList && this.limit?.isOfReadings;
		const retryAfterMs = isExempt ? undefined : this.limit?.refuse(this.time.now);
		if (retryAfterMs !== undefined) {
			record.throttled++;
			record.retryAt = Math.max(record.retryAt, this.time.now + Math.ceil(retryAfterMs / 1000) * 1000);
			return throttledAnswer(this.limit!, retryAfterMs);
		}
		if (this.latencyMs > 0 && !(isList && this.isListQuick))
			await this.wait(this.latencyMs + this.spreadMs * Math.random(), options);
		if (record.isDead) return await new Promise<never>(() => undefined);
		if (this.fault && number >= this.fault.from && (isList || !this.fault.kind.startsWith('list'))) {
			record.isHit = true;
			return this.failAll(this.fault.kind.replace('list ', ''));
		}
		const team = this.keys.get(key);
		if (!team) return answer(401, { detail: 'unknown key' });
		const listed = this.world.people.filter((one) => one.isListed && one.team === team);
		if (isList) return this.list(record, this.isListEmpty ? [] : listed, searchParams);
		const [, , , id] = pathname.split('/');
		if (pathname.startsWith('/v2/user/resolve/')) {
			const found = listed.find(({ clientUserId }) => clientUserId === decodeURIComponent(pathname.split('/')[4]));
			const [, fault] = /^resolve (.*)/.exec((found && this.faults.get(found)) ?? '') ?? [];
			if (fault && !fault.startsWith('resolve'))
				return await this.failOne(record, found!, fault, options, searchParams);
			const isKnown = found && this.faults.get(found) !== 'removed';
			if (!isKnown) return answer(404, { detail: 'User not found' });
			const { userId } = this.resolvesTo.get(found) ?? found;
			return answer(200, userOf({ ...found, userId }));
		}
		const person = listed.find(({ userId }) => userId === id);
		if (!person) return answer(404, { detail: 'User not found' });
		const fault = this.faults.get(person);
		if (fault && !fault.startsWith('resolve')) return await this.failOne(record, person, fault, options, searchParams);
		return this.page(record, person, searchParams);
	}

	private list(record: PollRecord, listed: Person[], query: URLSearchParams): Answer {
		const offset = Number(query.get('offset') ?? 0);
		const limit = Math.min(Number(query.get('limit') ?? 50), this.listPage);
		if (this.refusesEnd && offset > 0 && offset >= listed.length) return answer(422, { detail: 'offset' });
		const users = listed.slice(offset, offset + limit);
		for (const one of users) record.listed.add(one);
		record.isListFree ||= limit === 1 && record.throttled > 0;
		return answer(200, { users: users.map(userOf), total: listed.length, offset, limit });
	}

	private page(record: PollRecord, person: Person, query: URLSearchParams): Answer {
		const from = Date.parse(query.get('start_date') ?? '');
		const provider = query.get('provider');
		const visible = this.world.readings.filter(
			(one) =>
				one.person === person &&
				valueAt(one, this.time.now) !== undefined &&
				(one.time === null || one.time >= from) &&
				(!provider || one.provider === provider),
		);
		const at = Number(query.get('next_cursor') ?? 0);
		// Asked whether it is limited, not for its readings.
		if (query.has('end_date')) return answer(200, { groups: {} });
		if (at === 0) {
			record.served.delete(person);
			record.begun.set(person, { at: this.time.now, isReversed: this.turn++ % 2 === 0 });
		}
		// Same-time readings come in another order each time.
		const begun = record.begun.get(person)!;
		if (begun.isReversed) visible.reverse();
		visible.sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
		const data = visible.slice(this.overlaps ? Math.max(0, at - 1) : at, at + this.pageSize);
		const isLast = at + this.pageSize >= visible.length;
		if (isLast) record.served.set(person, begun.at);
		const groups: Record<string, unknown[]> = {};
		for (const one of data)
			(groups[one.provider] ??= []).push(groupWith(one, valueAt(one, this.time.now)!, this.turn + one.nr));
		return answer(200, { groups, next_cursor: isLast ? null : String(at + this.pageSize) });
	}

	private failAll(kind: string): Answer {
		if (kind === 'reset') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		if (kind === 'nonsense') return answer(200, { some: 'thing' });
		if (kind === 'html') return answer(200, '<html>Log in</html>');
		return answer(Number(kind), { detail: 'fault' });
	}

	private async failOne(
		record: PollRecord,
		person: Person,
		fault: string,
		options: IHttpRequestOptions,
		query: URLSearchParams,
	): Promise<Answer> {
		const [status, , seconds] = fault.split(' ');
		if (status === '429') record.limited.add(person);
		else if (fault === 'removed') record.gone.add(person);
		else record.broken.add(person);
		if (fault === 'malformed') return malformed(person);
		if (seconds) return { ...answer(Number(status), { detail: 'wait' }), headers: { 'retry-after': seconds } };
		if (fault === 'hang') await this.wait(Infinity, options);
		if (fault === 'nonsense') return answer(200, { groups: [1] });
		if (fault === 'loop') return answer(200, { groups: {}, next_cursor: 'again' });
		if (fault === 'endless') {
			await this.wait(HANG_PAGE_MS, options);
			return answer(200, { groups: {}, next_cursor: String(Number(query.get('next_cursor') ?? 0) + 1) });
		}
		return answer(fault === 'removed' ? 404 : Number(fault), { detail: 'User not found' });
	}

	/** As axios does it: ends with the request's signal. */
	private async wait(ms: number, { abortSignal }: IHttpRequestOptions) {
		await new Promise<void>((resolve, reject) => {
			const abort = () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
			const signal = abortSignal as AbortSignal | undefined;
			if (signal?.aborted) return abort();
			signal?.addEventListener('abort', abort, { once: true });
			if (ms < Infinity) this.time.after(ms, resolve);
		});
	}
}
