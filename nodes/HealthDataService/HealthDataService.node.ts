/**
 * The node as n8n sees it: a description, nothing else.
 */
import {
	NodeConnectionTypes,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { searchProviders } from './listSearch/searchProviders';
import { searchUsers } from './listSearch/searchUsers';
import { timeseriesDescription } from './resources/timeseries';
import { userDescription } from './resources/user';

/** A table of its own, because the linter takes "Timeseries" for a plural. */
const RESOURCES: INodePropertyOptions[] = [
	{ name: 'Timeseries', value: 'timeseries' },
	{ name: 'User', value: 'user' },
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
		// `bloodPressure` and `timeseries`, in words.
		subtitle: '={{ ($parameter.operation + ": " + $parameter.resource).replace(/[A-Z]/g, " $&").toTitleCase() }}',
		description: 'Read blood pressure, mindfulness minutes and users from the Health Data Service',
		defaults: { name: 'Health Data Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'healthDataServiceApi', required: true }],
		// The address comes from the credential (http/baseUrl.ts). n8n runs a declarative node with `methods` only if this is set.
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
