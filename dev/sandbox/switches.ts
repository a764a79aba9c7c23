/**
 * Switches of the sandbox, which can be changed while it runs: `sandbox.switches.pageSize = 7`.
 * The numbers in brackets are rows of docs/quirks.md.
 */
import type { Fault, NotFoundBody, TroubleName } from './troubles';

export type { Fault };

export interface Switches {
	/** Readings on a page. */
	pageSize: number;
	/** Milliseconds before every answer. */
	latencyMs: number;
	/** The service's clock: readings that would arrive later are not there yet. */
	now: () => number;
	/** In the `Date` header; undefined sends none. Default: `now`. */
	date?: () => number | undefined;

	/** How "no more pages" and "more pages" are written. [1] */
	cursorStyle: 'contract' | 'absent' | 'empty' | 'nextOnly';
	/** Every second page is empty but carries a cursor. [2] */
	emptyPages: boolean;
	/** The cursor of page two leads to page two. [3] */
	repeatCursor: boolean;
	/** Each reading in a group of its own, with a lab's key beside the providers' slugs. [4] */
	splitGroups: boolean;
	/** Points with an `id` beyond 2^53, which JSON parsers round; every second one as text. [5] */
	largeIds: boolean;
	/** Fields that the contract does not show, on points, sources, users and connected sources. [5] */
	extraFields: boolean;
	/** `source.type` missing, `source` missing. [6] */
	bareSources: boolean;
	/** Units in another spelling, numbers as text, null values. [7] */
	oddValues: boolean;
	/** Time zone, birth date and connected sources null or incomplete. [8] */
	bareUsers: boolean;
	/** How times are written, of readings and of users. [9] */
	timestamps: 'microseconds' | 'z' | 'offset' | 'noZone';
	/** Every page begins with the last reading of the page before. [11] */
	overlap: boolean;
	/** Most users on a page, whatever `limit` asks for. [12] */
	userPageCap: number;
	/** Where the list starts when `offset` is not sent. [12] */
	defaultOffset: number;
	/**
	 * `total` as it is, missing [12], or wrong [24]: `page` counts the users of the page, `growing` grows from page to page.
	 */
	userTotal: 'right' | 'missing' | 'zero' | 'negative' | 'page' | 'tooSmall' | 'tooLarge' | 'growing' | 'text';
	/** Every page of the user list is the first one. [24] */
	ignoresOffset: boolean;
	/** A page of the user list has all users from its offset on. [24] */
	ignoresLimit: boolean;
	/** The `user_id` of every third user: null, missing or empty text. [24] */
	lacksUserId: 'never' | 'null' | 'missing' | 'empty';
	/** User IDs in place of the right ones, by client user ID: `{ 'app-user-0042': '..' }`. [24] */
	oddUserIds: Record<string, string>;
	/** A page of the user list that begins after the last user is refused with this status. [12] */
	failsAtEnd: number;
	/** Parameters out of range end in 500 with plain text instead of a refusal. [12] */
	failsOutOfRange: boolean;
	/** 307 from a path without a slash at its end to the one with it, on the same or on another origin. [13] */
	redirect: 'none' | 'sameOrigin' | 'otherOrigin' | 'forever';
	/** Where `otherOrigin` leads. */
	otherOrigin: string;
	/** Faulty answers, by a function of the request's number (from 1): statuses, web pages, cut-off bodies. [16-21] */
	fault: (requestNumber: number, url: string) => Fault | undefined;
	/** More requests at once than this are refused with 429. [19] */
	mostAtOnce: number;
	/** The body of every 404. [16] */
	notFound: NotFoundBody;
	/** A `NaN`, as Python writes it, in otherwise complete JSON. [21] */
	hasNaN: boolean;
	/** Complete answers have the status 206. [21] */
	isPartial: boolean;
	/** What is wrong with single users, named by either identifier: `{ 'app-user-0042': 'fails' }`. [23] */
	users: Record<string, TroubleName>;
}

export const defaultSwitches = (): Switches => ({
	pageSize: 100,
	latencyMs: 0,
	now: () => Date.now(),
	cursorStyle: 'contract',
	emptyPages: false,
	repeatCursor: false,
	splitGroups: false,
	largeIds: false,
	extraFields: false,
	bareSources: false,
	oddValues: false,
	bareUsers: false,
	timestamps: 'microseconds',
	overlap: false,
	userPageCap: 500,
	defaultOffset: 0,
	userTotal: 'right',
	ignoresOffset: false,
	ignoresLimit: false,
	lacksUserId: 'never',
	oddUserIds: {},
	failsAtEnd: 0,
	failsOutOfRange: false,
	redirect: 'none',
	otherOrigin: 'http://localhost:9',
	fault: () => undefined,
	notFound: 'detail',
	hasNaN: false,
	isPartial: false,
	mostAtOnce: Infinity,
	users: {},
});
