/**
 * One run of the node over its input items: fields that are read once, and the end of the run.
 * Only what n8n hands to each item is replaced; test/engine/runs.test.ts has the same with n8n's engine.
 */
import type { INodeParameters } from 'n8n-workflow';
import { oncePerRun, runOf } from '../../../nodes/HealthDataService/resources/operation';
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
		continueOnFail: () => false,
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
