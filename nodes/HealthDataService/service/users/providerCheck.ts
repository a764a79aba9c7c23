/**
 * Check of *Provider*: a name in place of the slug, or a slug in capitals, ends without an error and without rows. So the log says
 * that no user has it.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../../http/client';
import { isObject } from '../../shared/values';
import { isConnectedTo } from './users';

export class ProviderCheck {
	private hasRecords = false;
	private isKnown = false;

	/** @param slug as typed; empty for all providers */
	constructor(readonly slug: string) {}

	/** Whether no user of the records has it connected, and no reading has it. False without a record. */
	get isMissing() {
		return this.hasRecords && !this.isKnown;
	}

	/** `get`, which looks through each answer for the slug. */
	watching(get: Get): Get {
		if (this.slug === '') return get;
		return async (...request) => {
			const answer = await get(...request);
			if (isObject(answer)) this.look(answer);
			return answer;
		};
	}

	private look(answer: IDataObject) {
		// Readings are requested by the provider.
		if (isObject(answer.groups))
			return void (this.isKnown ||= Object.keys(answer.groups).length > 0);
		const users = Array.isArray(answer.users) ? answer.users.filter(isObject) : [answer];
		this.hasRecords ||= users.length > 0;
		this.isKnown ||= users.some((user) => isConnectedTo(user, this.slug));
	}
}

export const noSuchProvider = (slug: string) =>
	`No user who was read has the provider ${JSON.stringify(slug)} connected, and no reading has it. ` +
	"'Provider' takes the service's slug, in the same upper and lower case: User → List shows the slugs under connected_sources.";
