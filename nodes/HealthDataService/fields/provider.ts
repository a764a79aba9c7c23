/** Provider: the source of the readings, by its slug. */
import type { INodeProperties } from 'n8n-workflow';
import { toText } from '../shared/values';
import type { FieldContext } from './field';
import { readLocator } from './locator';

export const providerField: INodeProperties = {
	displayName: 'Provider',
	name: 'provider',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		'The source of the readings, such as a wearable: those of others are left out. Leave empty, or pick All Providers, for all sources.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'All providers',
			typeOptions: { searchListMethod: 'searchProviders', searchable: true },
		},
		{
			displayName: 'By Slug',
			name: 'slug',
			type: 'string',
			placeholder: 'e.g. omron',
			hint: "The service's short name of the source, such as apple_health_kit. User → List shows it under connected_sources.",
		},
	],
};

/** A slug; empty for all providers. */
export const readProvider = (context: FieldContext) =>
	toSlug(readLocator(context, 'provider').value, 'Provider');

export const toSlug = (value: unknown, field: string) =>
	toText(
		value,
		field,
		`Enter a slug such as omron, or leave '${field}' empty for all`,
	).trim();
