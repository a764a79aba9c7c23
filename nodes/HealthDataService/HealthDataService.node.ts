/** Description of the node for n8n. */
import {
	NodeConnectionTypes,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
	type NodeHint,
} from 'n8n-workflow';
import { searchProviders, searchUsers } from './listSearch/pickers';
import { timeseriesDescription } from './resources/timeseries';
import { userDescription } from './resources/user';
import { metrics } from './service/readings/metrics';

/** A separate constant, because the linter takes "Timeseries" for a plural. */
const RESOURCES: INodePropertyOptions[] = [
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

const IN_OUTPUT = {
	type: 'info',
	location: 'outputPane',
	whenToDisplay: 'afterExecution',
} as const;

/** n8n gives no reason for an empty output, and a hint cannot depend on the output: it is shown before the run. */
const NO_ROWS: NodeHint = {
	...IN_OUTPUT,
	message:
		"If no items come out, nothing was measured in the 'Date Range', or not with the 'Provider' or 'Source Types'. A longer range shows more.",
	whenToDisplay: 'beforeExecution',
	displayCondition: '={{ $parameter.resource === "timeseries" }}',
};

/** n8n says by itself that Limit was reached, not what that means for several users. */
const FIRST_USERS: NodeHint = {
	...IN_OUTPUT,
	message:
		"'Limit' counts rows, user by user. When it is reached, the users further down the list are not read. To read all users, turn on 'Return All'.",
	displayCondition:
		'={{ $parameter.resource === "timeseries" && $parameter.userScope !== "one" && !$parameter.returnAll }}',
};

const SLUG: NodeHint = {
	...IN_OUTPUT,
	message:
		"If no items come out, check the 'Provider': it is a slug such as omron, which User → List shows under connected_sources.",
	displayCondition: '={{ $parameter.resource === "timeseries" && Boolean($parameter.provider) }}',
};

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
		// `bloodPressure` and `timeseries`, in words.
		subtitle:
			'={{ ($parameter.operation + ": " + $parameter.resource).replace(/[A-Z]/g, " $&").toTitleCase() }}',
		description: `Read ${metrics.map(({ name }) => name.toLowerCase()).join(', ')} and users from the Health Data Service`,
		defaults: { name: 'Health Data Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'healthDataServiceApi', required: true }],
		hints: [NO_ROWS, FIRST_USERS, SLUG],
		// The address comes from the credential (http/authenticate.ts). n8n runs a declarative node with `methods` only if this is set.
		requestDefaults: { headers: { Accept: 'application/json' } },
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
