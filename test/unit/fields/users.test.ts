/**
 * Readers of User, Client User ID and User IDs, for any value of an expression: exactly the given users, or a Problem with the name
 * of the field. Never more users than given.
 */
import { readClientUserId, readUser, readUserIds } from '../../../nodes/HealthDataService/fields/users';
import type { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { isBlank } from '../../../nodes/HealthDataService/shared/values';
import { anything, hasDots, readOrRefuse, withField } from '../../helpers/fieldValues';
import { fc } from '../../helpers/properties';

const ID = '3f1c0a52-8d0e-4b57-9f43-5a2c8a6f1e90';

it('User is one user ID, or refused', () => {
	fc.assert(
		fc.property(
			fc.oneof(anything, fc.uuid(), fc.constantFrom(ID.toUpperCase(), ` ${ID}\n`, `${ID}/../x`, [ID])),
			(value) => {
				fc.pre(!(typeof value === 'object' && value !== null && 'value' in value));
				const result = readOrRefuse('User', () => readUser(withField('user', value)));
				const isOne = typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value.trim());
				expect(result).toEqual(
					isOne ? { read: { by: 'userId', id: (value as string).trim().toLowerCase() } } : undefined,
				);
			},
		),
	);
});

it.each([
	// From an expression: the label is not one that the picker has saved.
	['list', { value: ID, cachedResultName: 'anna (Omron)' }, { by: 'userId', id: ID }],
	['clientUserId', { value: 'anna' }, { by: 'clientUserId', id: 'anna' }],
	['userId', { value: ID.toUpperCase() }, { by: 'userId', id: ID }],
])('User by %s', (mode, given, expected) => {
	expect(readUser(withField('user', { __rl: true, mode, ...given }))).toEqual(expected);
});

it.each([
	['picked', 'list', 'anna', ID.toUpperCase(), 'anna', ID.toUpperCase()],
	['without a label', 'list', undefined, ID, undefined, ID.toUpperCase()],
	['typed', 'userId', 'anna', ID, undefined, ID.toUpperCase()],
	// The label of the user picked before stays saved beside an expression.
	['by an expression', 'list', 'anna', ID, undefined, '=expression'],
])('a saved User in upper case, %s', (_, mode, cachedResultName, id, shownAs, value) => {
	const user = { __rl: true, mode, value, cachedResultName };
	const given = { ...user, value: ID.toUpperCase() };
	const context = { getNode: () => ({ parameters: { user }, type: '' }), getNodeParameter: () => given };
	expect(readUser(context as never)).toEqual({ by: 'userId', id, shownAs });
});

it.each([
	['list', "Pick a user from the list, or set 'Users' to All Users"],
	['userId', /^A user ID looks like/],
	['clientUserId', 'Enter the identifier that your application gave to this user'],
])('an empty User by %s says what to do', (mode, description) => {
	const read = () => readUser(withField('user', { __rl: true, mode, value: '' }));
	expect(read).toThrow(expect.objectContaining({ description: expect.stringMatching(description) }));
});

describe('User IDs', () => {
	const read = (value: unknown, by: 'userId' | 'clientUserId') =>
		readUserIds(withField('userIds', value, { usersBy: by })).entries.map(({ id, at }) => [id, at] as const);
	/** Each once, with the place of the first. */
	const once = (ids: string[]) => ids.flatMap((id, index) => (ids.indexOf(id) === index ? [[id, index + 1]] : []));
	const refusal = (value: unknown, by: 'userId' | 'clientUserId' = 'userId') => {
		try {
			read(value, by);
		} catch (error) {
			return error as Problem;
		}
		throw new Error('Not refused');
	};
	/** Some of them more than once, and in capitals. */
	const uuids = fc
		.array(fc.uuid(), { minLength: 1, maxLength: 8 })
		.chain((ids) =>
			fc.array(fc.constantFrom(...ids, ...ids.map((id) => id.toUpperCase())), { minLength: 1, maxLength: 20 }),
		);
	const clientIds = fc.array(
		fc.oneof(
			fc.constantFrom('a', 'A', 'Ward 7/B; bed 3', 'x"y', '42', '[z]', '心 +'),
			fc.string({ minLength: 1 }).filter((id) => !/[,\r\n]|^\s|\s$/.test(id) && id !== '[' && !hasDots(id)),
		),
		{ minLength: 1, maxLength: 20 },
	);

	it('are the listed users, each once and in order, in any notation of the list', () => {
		const between = fc.constantFrom(',', ', ', ';', ' ; ', '\n', '\r\n', ' ', '\t', ',\n,', ' ,; ');
		const around = fc.constantFrom('', ' ', '\n', ',', ' \r\n');
		fc.assert(
			fc.property(uuids, fc.array(between, { minLength: 20, maxLength: 20 }), around, around, (ids, marks, a, b) => {
				const expected = once(ids.map((id) => id.toLowerCase()));
				const text = ids.map((id, index) => (index ? marks[index] : '') + id).join('');
				for (const value of [ids, text, a + text + b, JSON.stringify(ids), ` ${JSON.stringify(ids, null, 1)}\n`])
					expect(read(value, 'userId')).toEqual(expected);
			}),
		);
	});

	it('are the identifiers that were listed, character by character', () => {
		fc.assert(
			fc.property(clientIds, fc.constantFrom(',', ' , ', '\n', '\r\n', ',\n'), (ids, mark) => {
				expect(read(ids, 'clientUserId')).toEqual(once(ids));
				expect(read(JSON.stringify(ids), 'clientUserId')).toEqual(once(ids));
				// A text that is JSON is what it says there.
				fc.pre(!ids[0].startsWith('['));
				expect(read(ids.join(mark), 'clientUserId')).toEqual(once(ids));
			}),
		);
	});

	it('are all as they were meant, or refused with the place of the first that is not, and never its value', () => {
		fc.assert(
			fc.property(uuids, fc.oneof(anything, fc.constantFrom('geheim-1', ['x'], `${'a'.repeat(36)}`)), (ids, wrong) => {
				const isId = typeof wrong === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(wrong.trim());
				fc.pre(!isId);
				const { message, description } = refusal([...ids, wrong, ...ids]);
				const fault = isBlank(wrong) ? 'is empty' : 'is not a user ID';
				expect(message).toBe(`Entry ${ids.length + 1} of 'User IDs' ${fault}`);
				expect(description).not.toContain('geheim');
			}),
		);
	});

	it.each<[string, unknown, 'userId' | 'clientUserId', string]>([
		['a list of nothing', [], 'userId', "'User IDs' is empty"],
		['JSON of nothing', '[]', 'userId', "'User IDs' is empty"],
		['separators only', ' ,\n; ', 'userId', "'User IDs' is empty"],
		['a blank in a list', ['a', ' '], 'clientUserId', "Entry 2 of 'User IDs' is empty"],
		['a dot', 'a, ..', 'clientUserId', "Entry 2 of 'User IDs' is not an identifier"],
		['half a letter', ['\ud800'], 'clientUserId', "Entry 1 of 'User IDs' is not an identifier"],
		[
			'a number that lost digits',
			'[12345678901234567890, 2]',
			'clientUserId',
			"Entry 1 of 'User IDs' is not an identifier",
		],
		['a list in a list', [['a']], 'clientUserId', "Entry 1 of 'User IDs' is not an identifier"],
		['no JSON', "['a', 'b']", 'userId', "Entry 1 of 'User IDs' is not a user ID"],
	])('refuses %s', (_, value, by, message) => {
		expect(refusal(value, by).message).toBe(message);
	});

	it('are an identifier that begins with a bracket', () => {
		expect(read('[x', 'clientUserId')).toEqual([['[x', 1]]);
	});

	it.each(['["5"]', '["5", "6"]', '[5, 6]', '[5]'])('are a list: %s', (list) => {
		expect(read(list, 'clientUserId').map(([id]) => id)).toEqual((JSON.parse(list) as unknown[]).map(String));
	});

	it('accepts numbers as identifiers', () => {
		expect(read([7, '007', 7], 'clientUserId').flat()).toEqual(['7', 1, '007', 2]);
		expect(read(42, 'clientUserId')).toEqual([['42', 1]]);
	});

	it('are 10,000 at most, of which each counts once', () => {
		const ids = Array.from({ length: 10_000 }, (_, index) => `u${index}`);
		expect(read([...ids, ...ids], 'clientUserId')).toHaveLength(10_000);
		const { message, description } = refusal([...ids, 'one more'], 'clientUserId');
		expect(message).toBe("'User IDs' has more than 10,000 users");
		expect(description).toContain('several input items');
	});
});

it('Client User ID is the very text that was given, or refused', () => {
	fc.assert(
		fc.property(anything, (value) => {
			const result = readOrRefuse('Client User ID', () => readClientUserId(value));
			if (result)
				expect(typeof value === 'string' ? result.read : Number(result.read)).toBe(Object.is(value, -0) ? 0 : value);
			else
				expect(typeof value !== 'string' || value.trim() === '' || hasDots(value) || !value.isWellFormed()).toBe(true);
		}),
	);
});
