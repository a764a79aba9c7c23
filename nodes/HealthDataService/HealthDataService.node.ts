/** Description of the node for n8n. */
import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { searchProviders, searchUsers } from './listSearch/pickers';
import { timeseriesDescription } from './resources/timeseries';
import { userDescription } from './resources/user';
import { metrics } from './service/readings/metrics';

/** A separate constant, because the linter takes "Timeseries" for a plural. */
const RESOURCES = [
	{
		name: 'Timeseries',
		value: 'timeseries',
		description: 'What users measured, with the time of each measurement',
	},
	{
		name: 'User',
		value: 'user',
		description: 'Who belongs to your team, and what they have connected',
	},
];

export class HealthDataService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Health Data Service',
		name: 'healthDataService',
		icon: {
			light: 'file:../../icons/healthDataService.svg',
			dark: 'file:../../icons/healthDataService.dark.svg',
		},
		group: ['input'],
		version: 1,
		// One string: n8n's linter accepts no other.
		subtitle:
			'={{ ($parameter.operation + ": " + ($parameter.resource === "user" ? "user" : $parameter.userScope + ($parameter.userScope === "one" ? " user" : " users"))).replace(/[A-Z]/g, " $&").toTitleCase() }}',
		description: `Read ${metrics.map(({ name }) => name.toLowerCase()).join(', ')} and users from the Health Data Service`,
		defaults: { name: 'Health Data Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'healthDataServiceApi', required: true }],
		// The address comes from the credential (http/authenticate.ts). n8n runs a declarative node with `methods` only if this is set.
		requestDefaults: { headers: { Accept: 'application/json' } },
		hints: [
			{
				message:
					"All users are read once for each input item, unless 'Execute Once' is on in the settings",
				location: 'outputPane',
				whenToDisplay: 'afterExecution',
				// No expression can see 'Execute Once'.
				displayCondition:
					'={{ ($parameter.userScope === "all" || $parameter.operation === "list") && $input.all().length > 1 }}',
			},
		],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: RESOURCES,
				default: 'timeseries',
			},
			...userDescription,
			...timeseriesDescription,
		],
	};

	methods = { listSearch: { searchProviders, searchUsers } };
}
