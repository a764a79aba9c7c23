/** Source Types in n8n's engine over HTTP: every Output, and Limit, as if the other readings were not there. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fromAI, runAgent } from '../helpers/agent';
import { runNode } from '../helpers/engine';
import { people, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, useSandbox } from '../helpers/requests';

/** Pages of which some have none of the type. */
const used = useSandbox(() => ({ world: people(), switches: { pageSize: 2 } }));

const run = async (output: string, sourceTypes?: INodeParameters[string], more: INodeParameters = {}) => {
	const options = sourceTypes === undefined ? {} : { sourceTypes };
	const parameters = bloodPressureOf('', { userScope: 'all', output, options, ...more });
	return await runNode({ credential: used.credential, parameters });
};

it.each(['readings', 'daily'])('Output %s: exactly the rows of these types, with the same id', async (output) => {
	const { rows } = await run(output);
	const phones = rows.filter(({ source_type: type }) => type === 'phone');
	expect(phones.length).toBeGreaterThan(10);
	expect(phones.length).toBeLessThan(rows.length);
	expect((await run(output, ' PHONE, ring')).rows).toEqual(phones);
	expect((await run(output, ['Cuff', 'phone'])).rows).toEqual(rows);
	expect((await run(output, '')).rows).toEqual(rows);
});

it('Output summary: counts and averages only these', async () => {
	const readings = (await run('readings', 'phone')).rows.filter(({ user_id: id }) => id === STEADY.user_id);
	const { rows } = await run('summary', 'phone');
	expect(rows.map(({ client_user_id: name, readings: count }) => [name, count])).toEqual([
		['steady', readings.length],
		[SPECIAL_ID, 1],
		['berlin', 0],
		['silent', 0],
	]);
	const mean = readings.reduce((sum, { systolic }) => sum + Number(systolic), 0) / readings.length;
	expect(rows[0].systolic_mean).toBeCloseTo(mean, 1);
	expect(rows[0]).toMatchObject({ providers: 'omron', source_types: 'phone' });
});

it('Output grouped: the groups of these types', async () => {
	const { rows } = await run('grouped', 'phone');
	const groups = rows.map(({ groups: all }) => all as Record<string, Array<{ data: object[]; source: IDataObject }>>);
	expect(groups.map((one) => Object.values(one).flatMap((list) => list.map(({ source }) => source.type)))).toEqual([
		['phone'],
		['phone'],
		[],
		[],
	]);
	expect(groups[0].omron[0].data).toHaveLength(20);
});

it('Limit counts only these', async () => {
	const { rows } = await run('readings', 'phone');
	const limited = await run('readings', 'phone', { returnAll: false, limit: 5 });
	expect(limited.rows).toEqual(rows.slice(0, 5));
	expect(limited.rows.map(({ source_type: type }) => type)).toEqual(Array(5).fill('phone'));
});

it('a reading without a type is of none', async () => {
	used.sandbox.switches.bareSources = true;
	expect((await run('readings', 'cuff, null, undefined')).rows).toEqual([]);
});

it.each([undefined, null, 'x', { omron: {} }, { omron: [null] }, { omron: [{ source: { type: 'cuff' } }] }])(
	'an answer with the groups %j stays an error',
	async (groups) => {
		used.sandbox.switches.fault = (_, url) =>
			url.includes('/timeseries/') ? { status: 200, body: { groups } } : undefined;
		const { rows, error } = await run('readings', 'cuff');
		expect(rows).toEqual([]);
		expect(error?.message).toMatch(/The service's answer has no '(groups|data)'/);
	},
);

it('a model fills it, without a picker {{ }}', async () => {
	const parameters = bloodPressureOf(byClientId('steady'), { options: { sourceTypes: fromAI('Source Types') } });
	const { answers } = await runAgent(used.credential, { Tool: parameters }, [
		['Tool', { Source_Types: '["phone"]' }],
		['Tool', { Source_Types: 'fax' }],
	]);
	const rows = JSON.parse(answers[0]) as IDataObject[];
	expect(rows).toHaveLength(20);
	expect(new Set(rows.map(({ source_type: type }) => type))).toEqual(new Set(['phone']));
	expect(JSON.parse(answers[1])).toEqual([{ note: expect.stringContaining("'Source Types'") }]);
});
