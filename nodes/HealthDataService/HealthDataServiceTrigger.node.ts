/** Description of the trigger for n8n. */
import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { searchProviders, searchUsers } from './listSearch/pickers';
import { metrics } from './service/readings/metrics';
import { poll } from './trigger/poll';
import { triggerFields } from './trigger/settings';

/** Event and users, such as "Blood Pressure: All Users". */
const USERS =
	'$parameter.userScope + ($parameter.userScope === "one" ? " user" : " users")';
const READINGS = `$parameter.event + ": " + ${USERS}`;
const SUBTITLE = `$parameter.event === "user" ? "newUser" : ${READINGS}`;

export class HealthDataServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Health Data Service Trigger',
		name: 'healthDataServiceTrigger',
		icon: {
			light: 'file:../../icons/healthDataService.svg',
			dark: 'file:../../icons/healthDataService.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: `={{ (${SUBTITLE}).replace(/[A-Z]/g, " $&").toTitleCase() }}`,
		description: `New ${metrics.map(({ noun }) => `${noun}s`).join(', ')} and users of the Health Data Service start the workflow`,
		defaults: { name: 'Health Data Service Trigger' },
		// While a test event is fetched. n8n's own text asks the user to create an event.
		eventTriggerDescription: 'Looking for the newest event…',
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'healthDataServiceApi', required: true }],
		properties: triggerFields,
	};

	methods = { listSearch: { searchProviders, searchUsers } };

	poll = poll;
}
