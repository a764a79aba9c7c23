/** Quirks of the service beyond its contract (docs/quirks.md), row by row, on timeseries. Users: user.test.ts. */
import type { Switches } from '../../dev/sandbox/switches';
import { startSandbox } from '../../dev/sandbox/server';
import { groupedRow } from '../../nodes/HealthDataService/service/readings/rows';
import { runNode, searchList, testCredential } from '../helpers/engine';
import { byTime, expectedRows, people, readingsOf, STEADY } from '../helpers/people';
import { bloodPressureOf, byUserId, listUsers, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

const used = useSandbox(() => ({ world: people(), switches: { pageSize: 7 } }));
useVirtualTime();
const expected = byTime(expectedRows(STEADY, readingsOf(people(), STEADY)));
const read = async (switches: Partial<Switches>, more = {}) => {
	Object.assign(used.sandbox.switches, switches);
	return await runNode({ credential: used.credential, parameters: bloodPressureOf(byUserId(STEADY.user_id), more) });
};

describe('4: several groups of one provider, and keys that are labs', () => {
	it('gives every reading, with the provider its source names', async () => {
		const { rows } = await read({ splitGroups: true });
		expect(byTime(rows)).toMatchObject(expected);
		expect(new Set(rows.map(({ provider_raw }) => provider_raw))).toEqual(new Set(['acme_lab', undefined]));
	});

	it('joins them again in one item per user', async () => {
		const { rows } = await read({ splitGroups: true }, { output: 'grouped' });
		const groups = rows[0].groups as Record<string, Array<{ data: object[]; source: object }>>;
		const all = Object.values(groups).flat();
		expect(all.flatMap(({ data }) => data)).toHaveLength(61);
		const sources = Object.entries(groups).flatMap(([slug, list]) =>
			list.map(({ source }) => slug + JSON.stringify(source)),
		);
		expect(new Set(sources).size).toBe(sources.length);
	});
});

it('4: equal sources are merged, another one and a group with a field of its own are not', () => {
	const groups = [
		{ app_id: 1, type: 'cuff' },
		{ app_id: 1, type: 'cuff' },
		{ type: 'cuff', app_id: 2 },
	];
	const list = groups.map((source) => ({ slug: 'omron', data: [{}], source, extras: {} }));
	const all = [...list, { ...list[0], extras: { note: 1 } }];
	const user = { user_id: STEADY.user_id, client_user_id: null };
	expect(groupedRow(all, user).groups).toMatchObject({
		omron: [{ data: [{}, {}] }, { data: [{}] }, { data: [{}], note: 1 }],
	});
});

it('5: extra fields are kept, and never in place of a column', async () => {
	const { rows } = await read({ extraFields: true });
	expect(rows).toHaveLength(61);
	expect(rows[0]).toEqual({
		...expectedRows(STEADY, readingsOf(people(), STEADY))[0],
		id: 0,
		type: 'sample',
		timezone_offset: 3600,
		user_id_raw: 'theirs',
		source_app_id: 'app.example',
		source_device_id: null,
		source_name: 'OMRON',
		source_logo: 'https://logos.example/x.svg',
	});
	expect(Object.keys(rows[0]).slice(0, 10).join(' ')).toBe(
		'client_user_id local_time systolic diastolic unit provider source_type timestamp user_id row_id',
	);
});

it('6: a missing source takes the provider from the group, its type stays null', async () => {
	const { rows } = await read({ bareSources: true });
	// The type is part of what makes a reading the same one.
	expect(byTime(rows.map((row) => ({ ...row, row_id: 'another', source_type: null })))).toEqual(
		byTime(expected.map((row) => ({ ...row, row_id: 'another', source_type: null }))),
	);
	expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(61);
	expect(rows.every(({ source_type }) => source_type === null)).toBe(true);
});

it('7: units and nulls pass through, and numbers as text are numbers', async () => {
	const { rows } = await read({ oddValues: true });
	expect(byTime(rows)).toEqual(expected.map((row) => ({ ...row, unit: 'mm[Hg]', diastolic: null })));
});

it.each(['z', 'offset', 'noZone'] as const)('9: times written with "%s" stay the text they are', async (timestamps) => {
	const { rows } = await read({ timestamps });
	expect(rows).toHaveLength(61);
	const endings = { z: /\d\dZ$/, offset: /:\d\d\+00:00$/, noZone: /\.\d{6}$/ };
	for (const { timestamp } of rows) expect(timestamp).toMatch(endings[timestamps]);
	expect(byTime(rows).map(({ row_id }) => row_id)).toEqual(expected.map(({ row_id }) => row_id));
});

it('11: the node returns repeated readings; the trigger emits each once', async () => {
	const { rows } = await read({ overlap: true });
	expect(rows).toHaveLength(61 + 8);
	expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(61);
});

it('13: sends nothing to any other address', async () => {
	const elsewhere = await startSandbox({ world: people() });
	Object.assign(used.sandbox.switches, { redirect: 'otherOrigin', otherOrigin: elsewhere.baseUrl });
	for (const parameters of [listUsers(), resolve('steady'), bloodPressureOf(byUserId(STEADY.user_id))]) {
		const { error } = await runNode({ credential: used.credential, parameters });
		expect(error?.message).toBe('The service redirects instead of answering (status 307)');
	}
	await searchList(used.credential, 'searchUsers').catch(() => undefined);
	await testCredential(used.credential);
	// The user list is asked once a run whether this concerns all.
	expect(used.sandbox.requests).toHaveLength(9);
	expect(elsewhere.requests).toEqual([]);
	await elsewhere.close();
});
