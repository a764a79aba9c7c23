/** Faults of single users while all others are sound (docs/reliability.md, "One part wrong"): `switches.users`. */
import type { GroupedPage } from './schemas';

/** A faulty answer. */
export type Fault =
	| { status: number; body?: unknown; headers?: Record<string, string>; type?: string }
	/** The connection is closed without an answer, or in the middle of the body: one of a known length, one in chunks, or one that ends with it. */
	| { drop: 'beforeAnswer' | 'insideBody' | 'insideChunks' | 'withoutLength' }
	/** An answer that begins at once and then comes byte by byte, one in so many milliseconds, without end. */
	| { dripMs: number }
	/** The correct answer, so many milliseconds late. */
	| { delayMs: number };

type AnsweredFault = Exclude<Fault, { delayMs: number }>;

/** Bodies of a 404: the contract shows none. */
export const NOT_FOUND = {
	detail: { body: { detail: 'Not found' } },
	nullDetail: { body: { detail: null } },
	message: { body: { message: 'User not found' } },
	error: { body: { error: 'no' } },
	problem: { body: { type: 'about:blank', title: 'Not Found', status: 404 }, type: 'application/problem+json' },
	list: { body: [] },
	webPage: { body: '<html>Not Found</html>', type: 'text/html' },
	text: { body: 'Not Found' },
	empty: { body: '' },
} satisfies Record<string, { body: unknown; type?: string }>;

export type NotFoundBody = keyof typeof NOT_FOUND;

/** Answers to a request for the readings of the user; `right` is the correct one. */
type Trouble = (request: { page: number; right: () => GroupedPage }) => AnsweredFault | { body: unknown };

const failing = (status: number, detail?: unknown): Trouble => {
	const body = detail === undefined ? 'Internal Server Error' : { detail };
	return () => ({ status, body });
};

/** A page with `change` applied to every group. */
const withGroups =
	(change: (group: { data: unknown; source: unknown }) => unknown): Trouble =>
	({ right }) => {
		const { groups, ...rest } = right();
		const bent = Object.entries(groups).map(([slug, list]) => [slug, list.map(change)]);
		return { body: { ...rest, groups: Object.fromEntries(bent) } };
	};

export const TROUBLES = {
	/** Fails permanently. */
	fails: failing(500),
	/** The service refuses this user's data, though the key is right. */
	refused: failing(403, 'Not enough permissions'),
	/** The service rejects requests for this user as invalid. */
	invalid: failing(422, [{ type: 'uuid_parsing', loc: ['path', 'user_id'], msg: 'Input should be a valid UUID' }]),
	/** The service lists the user and answers 404 for their readings. */
	missing: failing(404, 'User not found'),
	/** Removed after the list was read: Resolve does not know them either. */
	removed: failing(404, 'User not found'),
	/** Page one is correct; its cursor is rejected. */
	lostOnPageTwo: ({ page, right }) => (page === 0 ? { body: right() } : { status: 404, body: { detail: 'Not found' } }),
	/** Page one is correct; page two fails permanently. */
	failsOnPageTwo: ({ page, right }) =>
		page === 0 ? { body: right() } : { status: 500, body: 'Internal Server Error' },
	/** The body ends in the middle, every time. */
	cut: () => ({ drop: 'insideBody' }),
	/** The answer comes byte by byte, without end. */
	drips: () => ({ dripMs: 20 }),
	/** The answer begins and never ends. */
	hangs: () => ({ dripMs: 60_000 }),
	/** Every request is redirected: to a host, nowhere, or as if it were cached. */
	redirected: () => ({ status: 302, headers: { location: 'https://steady.example/' } }),
	redirectedNowhere: () => ({ status: 301 }),
	notModified: () => ({ status: 304 }),
	/** Every page has the same cursor. */
	repeatedCursor: ({ right }) => ({ body: { ...right(), next_cursor: 'again' } }),
	/** There is always one more page, without readings. */
	endless: ({ page }) => ({ body: { groups: {}, next_cursor: `page ${page + 1}` } }),
	/** A login page in place of data. */
	webPage: () => ({ status: 200, body: '<!doctype html><title>Log in</title>', type: 'text/html' }),
	/** The right outer shape with the wrong content. */
	noGroups: () => ({ body: { ok: true } }),
	nullGroups: ({ right }) => ({ body: { ...right(), groups: { omron: null } } }),
	noData: withGroups(({ source }) => ({ source })),
	/** Sound, but for a source that is a text. */
	textSource: withGroups(({ data }) => ({ data, source: 'a wearable' })),
	/** The cursor is a number. */
	numberCursor: ({ right }) => ({ body: { ...right(), next_cursor: 7 } }),
	/** The cursor says "no more pages", the deprecated field has one. */
	emptyCursorAndNext: ({ right }) => {
		const { next_cursor: next, ...page } = right();
		return { body: { ...page, next_cursor: '', next } };
	},
} satisfies Record<string, Trouble>;

export type TroubleName = keyof typeof TROUBLES;

/** Made-up cursors of some troubles, which stand for a page. */
const MADE_UP = /^(?:again|page (\d+))$/;

/**
 * The answer in place of the correct page.
 *
 * @param read gives the page for a cursor, or the first one
 */
export function troubled(
	name: TroubleName,
	cursor: string | undefined,
	read: (cursor?: string) => GroupedPage,
): AnsweredFault {
	const made = MADE_UP.exec(cursor ?? '');
	const page = made ? Number(made[1] ?? 1) : cursor ? 1 : 0;
	const answer = (TROUBLES as Record<TroubleName, Trouble>)[name]({
		page,
		right: () => read(made ? undefined : cursor),
	});
	return Object.keys(answer).join() === 'body' ? { status: 200, ...answer } : (answer as AnsweredFault);
}
