/**
 * One run of the node over its input items: fields that are read once, items that n8n cannot start, and the end of the run.
 * Only what n8n hands to each item is replaced; test/engine/runs.test.ts has the same with n8n's engine.
 */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { oncePerRun, perItem, runOf } from '../../../nodes/HealthDataService/resources/operation';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';

/** The contexts of the three items of one run, as n8n gives them. */
function startRun(parameters: INodeParameters = {}) {
	const data = {};
	const contextOf = (item: number) => ({
		inputData: { main: [[{ json: {} }, { json: {} }, { json: {} }]] },
		getExecuteData: () => data,
		getItemIndex: () => item,
		getNode: () => ({ type: 'node', parameters }),
		getNodeParameter: (_: string, fallback: unknown) => fallback,
		continueOnFail: () => true,
	});
	return [0, 1, 2].map((item) => contextOf(item) as never);
}

describe('fields', () => {
	/** How often three items read the fields. */
	const readsOf = (parameters: INodeParameters) => {
		const read = jest.fn(() => ({}));
		for (const context of startRun(parameters)) oncePerRun(context, ['user'], read);
		return read.mock.calls.length;
	};

	it.each<[string, INodeParameters]>([
		[
			'have no expression',
			{
				output: 'readings',
				limit: 3,
				options: { timeZone: 'UTC', userLimit: 2 },
				none: null,
				gone: undefined,
				requestOptions: {},
			},
		],
		['have one in a field that is read apart', { user: '={{ $json.id }}', options: { timeZone: 'UTC' } }],
	])('are read once for all items where they %s', (_, parameters) => {
		expect(readsOf(parameters)).toBe(1);
	});

	it('are read again after an error', () => {
		const read = jest
			.fn(() => ({ given: 1 }))
			.mockImplementationOnce(() => {
				throw new Error('refused');
			});
		const [first, ...others] = startRun();
		expect(() => oncePerRun(first, [], read)).toThrow('refused');
		for (const context of others) expect(oncePerRun(context, [], read)).toEqual({ given: 1 });
		expect(read).toHaveBeenCalledTimes(2);
	});
});

it('the end of a run closes the queues of all accounts, later ones too; until then they are open and shared', () => {
	const refused = new Problem('Refused', 'For this test');
	const run = runOf(startRun()[0]);
	const queue = run.queueOf('one');
	expect(run.queueOf('one')).toBe(queue);
	expect(run.queueOf('two')).not.toBe(queue);
	expect(() => queue.throwIfClosed()).not.toThrow();
	run.stop(refused);
	for (const account of ['one', 'two', 'three']) expect(() => run.queueOf(account).throwIfClosed()).toThrow(refused);
});

describe('an item that n8n cannot start, with On Error Continue', () => {
	/** Items with a failed expression in n8n's RoutingNode: 2.41.1 skips them, 2.8.4 ends the loop there. */
	const start = async (broken: number, endsLoop: boolean) => {
		const read: number[] = [];
		const pagination = perItem(async (context) => {
			read.push(context.getItemIndex());
			return [{}];
		});
		const started = startRun().filter((_, item) => (endsLoop ? item < broken : item !== broken));
		const results = started.map(
			(context): Promise<INodeExecutionData[]> => pagination.call(context, { options: {} } as never),
		);
		return { read, links: (await Promise.all(results)).flat().map(({ pairedItem }) => pairedItem) };
	};

	it.each([
		[0, [1, 2]],
		[1, [0, 2]],
		[2, [0, 1]],
	])('all others are read, where it is item %i', async (broken, others) => {
		expect(await start(broken, false)).toEqual({ read: others, links: others.map((item) => ({ item })) });
	});

	it('is the end of the run in n8n 2.8.4: the items before are read, and no promise stays open', async () => {
		expect((await start(1, true)).read).toEqual([0]);
	});
});
