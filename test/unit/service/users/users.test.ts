/** Page of the user list: its validation, and a failure after `total`. Identifiers, and the sources of a user. */
import type { IDataObject } from 'n8n-workflow';
import { authenticate } from '../../../../nodes/HealthDataService/http/authenticate';
import { withOptions, type Get } from '../../../../nodes/HealthDataService/http/client';
import {
	connectedSources,
	isClientUserId,
	isConnectedTo,
	pageBeyondTotal,
	resolveUser,
	userPage,
} from '../../../../nodes/HealthDataService/service/users/users';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { fc } from '../../../helpers/properties';

const ANNA = { user_id: 'u1', client_user_id: 'anna' };

/** A service that gives these answers, one after the other; and what it was asked. */
function service(...answers: unknown[]) {
	const asked: unknown[][] = [];
	const get = (async (...request: unknown[]) => {
		asked.push(request);
		const answer = answers[asked.length - 1];
		if (answer instanceof Problem) throw answer;
		return answer;
	}) as Get;
	return { get, asked };
}

it.each([undefined, null, 'users', { 0: ANNA }, [ANNA, 'ben'], [null]])('%p is no list of users', async (users) => {
	await expect(userPage(service({ users }).get, 0)).rejects.toMatchObject({
		message: "The service's answer has no 'users'",
	});
});

it.each([undefined, null, 7])('a record with the user_id %p is no user', async (user_id) => {
	const { get } = service({ ...ANNA, user_id });
	await expect(resolveUser(get, 'anna')).rejects.toThrow("The service's answer has no 'user_id'");
});

describe('after total', () => {
	const failed = (httpCode?: string) => new Problem('failed', 'advice', { httpCode });
	const isCancelled = () => false;

	it.each(['400', '404', '422', '500'])('a refusal with status %s is the end, after one try', async (status) => {
		const { get, asked } = service(failed(status));
		expect(await pageBeyondTotal(withOptions(get, { isCancelled }), 3, 20)).toEqual({ users: [] });
		expect(asked).toEqual([['/v2/user', { offset: 3, limit: 20 }, undefined, { isCancelled, maxAttempts: 1 }]]);
	});

	it.each([undefined, '429', '503'])('an error of another cause (status %p) is retried as always', async (status) => {
		const { get, asked } = service(failed(status), { users: [ANNA], total: 4 });
		expect(await pageBeyondTotal(withOptions(get, { isCancelled }), 3, 20)).toEqual({ users: [ANNA], total: 4 });
		expect(asked).toEqual([
			['/v2/user', { offset: 3, limit: 20 }, undefined, { isCancelled, maxAttempts: 1 }],
			['/v2/user', { offset: 3, limit: 20 }, undefined, { isCancelled }],
		]);
	});
});

it.each(['c', 'a/b', '...', 'a..b/.c'])('%j can be requested', (id) => expect(isClientUserId(id)).toBe(true));
const ODD = ['', '.', '..', '\ud800', 'a/../b', 'a\\..', './b', '..;/b', '%2e%2e', '..%3bx', 'a%2f..%2fb', '%252e'];
it.each(ODD)('%j cannot be requested', (id) => expect(isClientUserId(id)).toBe(false));

it('an identifier can be requested exactly where the key goes to its address', () => {
	const part = fc.constantFrom(' ', '\t', ...'. .. / \\ ; % %2e %2F %3b %5c %252E a +'.split(' '));
	const credential = { baseUrl: 'https://health.example/v2', apiKey: 'key' };
	const isSent = (id: string) => {
		const url = `/v2/user/resolve/${encodeURIComponent(id)}`;
		try {
			return authenticate(credential, { url }).url.endsWith(url);
		} catch {
			return false;
		}
	};
	fc.assert(
		fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
			const id = parts.join('');
			expect([id, isClientUserId(id)]).toEqual([id, isSent(id)]);
		}),
	);
});

describe('the sources of a user', () => {
	const user = (...connected: unknown[]) => ({ connected_sources: connected }) as unknown as IDataObject;

	it('are those that have a slug, by their names if they have any', () => {
		const named = { source: { slug: 'a', name: 'A' } };
		const broken = [{ source: { name: 'C' } }, { source: null }, {}, null, 'd'];
		expect(connectedSources(user(named, { source: { slug: 'b' } }, ...broken))).toEqual([
			{ slug: 'a', name: 'A' },
			{ slug: 'b', name: 'b' },
		]);
	});

	it.each([
		['b', true],
		['c', false],
		['B', false],
	])('b and the provider %j: %p', (provider, isIt) => {
		expect(isConnectedTo(user({ source: { slug: 'b' } }), provider)).toBe(isIt);
	});

	it.each([null, undefined, {}, 'x'])('are none in %p', (none) => {
		expect(connectedSources({ connected_sources: none } as unknown as IDataObject)).toEqual([]);
	});
});
