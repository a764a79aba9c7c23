/** Problem, and its conversion to an error of n8n. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { Problem, toNodeError, type Kind } from '../../../nodes/HealthDataService/shared/problem';

const node = { id: '1', name: 'Node', type: 'test', typeVersion: 1, position: [0, 0], parameters: {} } as INode;

it('by default concerns one item only and needs an action of the user', () => {
	expect(new Problem('What', 'Advice')).toMatchObject({
		message: 'What',
		description: 'Advice',
		kind: 'configuration-invalid',
		concernsAll: false,
		httpCode: undefined,
		retryAfterMs: undefined,
		isTransient: false,
	});
});

it.each<[Kind, boolean]>([
	['rate-limited', true],
	['temporarily-unavailable', true],
	['credential-invalid', false],
	['configuration-invalid', false],
])('%s: can pass %p', (kind, isTransient) => {
	expect(new Problem('', '', { kind })).toMatchObject({ isTransient, concernsAll: false });
	expect(new Problem('', '', { kind, concernsAll: true }).concernsAll).toBe(true);
});

describe('as an error of n8n', () => {
	it('has an HTTP code where the service answered, and nothing that it sent', () => {
		const problem = new Problem('What', 'Advice', {
			httpCode: '503',
			kind: 'temporarily-unavailable',
			retryAfterMs: 5,
		});
		const error = toNodeError(node, problem, { itemIndex: 3 });
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: 'What',
			description: 'Advice',
			httpCode: '503',
			context: { itemIndex: 3 },
			failure: { cause: 'temporarily-unavailable', retryAfterMs: 5 },
		});
	});

	it('has none where it did not, unless a picker shows it', () => {
		const problem = new Problem('What', 'Advice');
		const error = toNodeError(node, problem, { itemIndex: 0 });
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'What', description: 'Advice', context: { itemIndex: 0 } });
		expect((error as unknown as { failure: object }).failure).toEqual({ cause: 'configuration-invalid' });
		expect(toNodeError(node, problem, { isPicker: true })).toBeInstanceOf(NodeApiError);
		expect(toNodeError(node, problem, { isPicker: true })).toMatchObject({ message: 'What', description: 'Advice' });
	});

	it('a fault of the code stays what it is, and is linked to its item', () => {
		const error = toNodeError(node, new TypeError('of the code'), { itemIndex: 2 });
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'of the code', context: { itemIndex: 2 } });
		expect((error as { failure?: object }).failure).toBeUndefined();
	});
});
