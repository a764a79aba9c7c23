/** Saved state: which one can be used. */
import {
	isUsable,
	partsOf,
	sealed,
	startState,
	type TriggerState,
} from '../../../nodes/HealthDataService/trigger/state';

const state: TriggerState = {
	...startState('node', 'what is watched', 1000, 3),
	cursors: [{ from: 1, tried: 2, read: 3, users: 'a'.repeat(12) }],
	seen: { 10: 'b'.repeat(27), none: 'c'.repeat(27) },
	told: undefined,
};
/** As a database gives it back. */
const stored = () => JSON.parse(JSON.stringify(sealed(state))) as TriggerState;

it('a state comes back from a database', () => {
	expect(isUsable(stored())).toBe(true);
});

it('the order of its parts says nothing: databases change it', () => {
	const { seen, cursors, ...others } = stored();
	const turned = <T extends object>(part: T) => Object.fromEntries(Object.entries(part).reverse()) as T;
	expect(isUsable(turned({ ...others, seen: turned(seen), cursors: cursors.map(turned) }))).toBe(true);
});

it.each<[string, object]>([
	['no checksum', { check: undefined }],
	['another count', { poll: 4 }],
	['a cursor that was changed', { cursors: [{ from: 2, tried: 2, read: 3, users: 'a'.repeat(12) }] }],
	['a hash that was changed', { seen: { 10: 'd'.repeat(27), none: 'c'.repeat(27) } }],
	['parts that no state has', { cursors: null }],
	['a part more', { pausedUntil: 5 }],
])('%s cannot be used', (_, changed) => {
	expect(isUsable({ ...stored(), ...changed })).toBe(false);
});

it('a sound state of another version cannot be used', () => {
	expect(isUsable(sealed({ ...state, version: 4 as never }))).toBe(false);
});

it('begins with a count, without cursors and hashes', () => {
	expect(startState('node', 'of', 1000, 3)).toEqual({
		...{ version: 5, node: 'node', of: 'of', poll: 3, pass: 0, since: 1000, cursors: [], seen: {} },
	});
});

it.each([
	['abcdef', 2, ['ab', 'cd', 'ef']],
	['', 2, []],
])('the parts of %j, of %i characters', (text, length, expected) => {
	expect(partsOf(text, length)).toEqual(expected);
});
