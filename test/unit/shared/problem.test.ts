/** Problem, and its conversion to an error of n8n. */
import { ApplicationError, NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { Problem, problemOfOne, toNodeError } from '../../../nodes/HealthDataService/shared/problem';
import { everythingIn } from '../../helpers/machine';

const node = { id: '1', name: 'Node', type: 'test', typeVersion: 1, position: [0, 0], parameters: {} } as INode;

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

	it("an error of n8n's stays what it is, and is linked to its item", () => {
		const error = toNodeError(node, new ApplicationError('of n8n'), { itemIndex: 2 });
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'of n8n', context: { itemIndex: 2 } });
		expect((error as { failure?: object }).failure).toBeUndefined();
	});

	it('a fault of the code has words of ours, and nothing of its message', () => {
		const error = toNodeError(node, new TypeError(SECRET), { itemIndex: 2 });
		expect(error).toMatchObject({ message: 'The data could not be processed', context: { itemIndex: 2 } });
		expect(error.description).toMatch(/^Report this/);
		expect(everythingIn(error)).not.toContain('151/93');
	});
});

/** V8 quotes values, and a value may look like a line of a stack. */
const SECRET = '"151/93" is not iterable\n    at 151/93 (secret.js:1:1)';

describe('a fault of the code', () => {
	const thrown = (Fault: new (message: string) => Error) => {
		const fails = () => {
			throw new Fault(SECRET);
		};
		try {
			return fails();
		} catch (error) {
			return error as Error;
		}
	};

	it.each([TypeError, RangeError, ReferenceError, SyntaxError])('%p: its class and five frames', (Fault) => {
		const { fault } = problemOfOne(thrown(Fault), false);
		expect(fault).toMatch(new RegExp(`^${Fault.name} at fails \\(.*problem\\.test\\.ts:\\d+:\\d+\\) at thrown `));
		expect(fault!.match(/\bat /g)).toHaveLength(5);
		expect(fault).not.toContain('151');
	});

	it('without a stack of its own: its class', () => {
		const error = Object.assign(new TypeError('x'), { stack: SECRET });
		expect(problemOfOne(error, false).fault).toBe('TypeError');
	});

	it('is the problem of one user, in other words too', () => {
		const problem = problemOfOne(thrown(TypeError), false);
		expect(problem).toMatchObject({ message: "This user's data could not be processed", concernsAll: false });
		expect(problem.reworded('a', 'b').fault).toBe(problem.fault);
		expect(() => problemOfOne(new Error('x'), false)).toThrow('x');
	});
});
