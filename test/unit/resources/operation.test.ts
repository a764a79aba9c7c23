/**
 * One run of the node over its input items: fields that are read once, log lines, the end of the run, Batching and item links.
 * Only what n8n hands to each item is replaced; test/engine/runs.test.ts has the same with n8n's engine.
 */
import { sleep, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { oncePerRun, perItem, runOf } from '../../../nodes/HealthDataService/resources/operation';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';

interface Given {
	parameters?: INodeParameters;
	type?: string;
	/** Milliseconds. */
	batchInterval?: number;
	onErrorContinue?: boolean;
}

/** The contexts of the three items of one run, as n8n gives them, and the lines of the log. */
function startRun({ parameters = {}, type = 'node', batchInterval, onErrorContinue = false }: Given = {}) {
	const lines: string[] = [];
	const data = {};
	const contextOf = (item: number) => ({
		inputData: { main: [[{ json: {} }, { json: {} }, { json: {} }]] },
		getExecuteData: () => data,
		getItemIndex: () => item,
		getNode: () => ({ type, name: 'Node', parameters }),
		getNodeParameter: (_: string, fallback: unknown) => batchInterval ?? fallback,
		getWorkflow: () => ({ name: 'Workflow' }),
		continueOnFail: () => onErrorContinue,
		logger: { info: (line: string) => lines.push(line) },
	});
	return { contexts: [0, 1, 2].map((item) => contextOf(item) as never), lines };
}

describe('fields', () => {
	/** How often three items read the fields. */
	const readsOf = (given: Given) => {
		const read = jest.fn(() => ({}));
		for (const context of startRun(given).contexts) oncePerRun(context, { but: ['user'] }, read);
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
		expect(readsOf({ parameters })).toBe(1);
	});

	it.each<[string, INodeParameters]>([
		['in a field', { output: '={{ $json.output }}', limit: 3 }],
		['in one of several options', { options: { userLimit: 2, timeZone: '={{ $json.zone }}' } }],
		['in a list', { userIds: ['a', '={{ $json.id }}'] }],
	])('are read for each item with an expression %s', (_, parameters) => {
		expect(readsOf({ parameters })).toBe(3);
	});

	it('are read for each call of a tool', () => {
		expect(readsOf({ type: 'nodeTool' })).toBe(3);
	});

	it('are read again after an error, with the same "now"', () => {
		const nows: unknown[] = [];
		const read = (now: unknown) => {
			nows.push(now);
			if (nows.length === 1) throw new Error('refused');
			return { given: 1 };
		};
		const [first, ...others] = startRun().contexts;
		expect(() => oncePerRun(first, { but: [] }, read)).toThrow('refused');
		for (const context of others) expect(oncePerRun(context, { but: [] }, read)).toEqual({ given: 1 });
		expect(nows).toHaveLength(2);
		expect(nows[1]).toBe(nows[0]);
	});
});

it('what all items share is made once a run, and again after an error', () => {
	const [first, second] = startRun().contexts.map((context) => runOf(context));
	const failing = () => {
		throw new Error('refused');
	};
	expect(() => first.once('names', failing)).toThrow('refused');
	const names = first.once('names', () => new Map());
	expect(second.once('names', failing)).toBe(names);
	expect(second.once('other', () => undefined)).toBeUndefined();
	expect(second.once('other', failing)).toBeUndefined();
	expect(runOf(startRun().contexts[0]).once('names', () => 1)).toBe(1);
});

describe('the end of a run', () => {
	const refused = new Problem('Refused', 'For this test');

	it('closes the queues of all accounts, later ones too; until then they are open and shared', () => {
		const run = runOf(startRun().contexts[0]);
		const queue = run.queueOf('one');
		expect(run.queueOf('one')).toBe(queue);
		expect(run.queueOf('two')).not.toBe(queue);
		expect(() => queue.throwIfClosed({ continues: false })).not.toThrow();
		run.stop(refused);
		for (const account of ['one', 'two', 'three'])
			expect(() => run.queueOf(account).throwIfClosed({ continues: false })).toThrow(refused);
	});
});

describe('items', () => {
	/** The rows or the error of each item of a run. @param failed errors of items */
	async function results(given: Given, failed: Record<number, Error> = {}) {
		const pagination = perItem(async (context) => {
			const item = context.getItemIndex();
			if (failed[item]) throw failed[item];
			return [{ item }];
		});
		const started = startRun(given).contexts.map((context) => pagination.call(context, { options: {} } as never));
		const settled = await Promise.allSettled(started);
		return settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error)));
	}
	const row = (item: number, json: IDataObject = { item }) => ({ json, pairedItem: { item } });

	it('have linked rows', async () => {
		expect(await results({})).toEqual([[row(0)], [row(1)], [row(2)]]);
	});

	it('with On Error Stop: the first error is reported with its item, and the others end empty', async () => {
		const failed = { 1: new Problem('First', 'Advice'), 2: new Problem('Second', 'Advice') };
		const found = await results({}, failed);
		expect(found).toEqual([[row(0)], expect.objectContaining({ message: 'First' }), []]);
		expect(found[1]).toMatchObject({ context: { itemIndex: 1 } });
	});

	it('with On Error Continue: each error is a linked row', async () => {
		const failed = { 1: new Problem('First', 'Advice') };
		expect(await results({ onErrorContinue: true }, failed)).toEqual([
			[row(0)],
			[row(1, { error: 'First', details: 'Advice' })],
			[row(2)],
		]);
	});

	const firstOf = async (batchInterval?: number) => {
		const [first] = startRun({ batchInterval }).contexts;
		return await perItem(async () => [{}]).call(first, { options: {} } as never);
	};

	const waits = async () => await sleep(1).then(() => 'waits');

	it.each([[undefined], [0], [-1]])(
		'wait until n8n has started all, with a Batching interval of %p',
		async (interval) => {
			expect(await Promise.race([firstOf(interval), waits()])).toBe('waits');
		},
	);

	it('are read one after the other with Batching', async () => {
		expect(await firstOf(1)).toEqual([row(0, {})]);
	});
});
