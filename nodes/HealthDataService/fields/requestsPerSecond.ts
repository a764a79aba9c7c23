/**
 * Requests per Second: how many are sent at most, whatever they are for.
 */
import type { INodeProperties } from 'n8n-workflow';
import { someNumber } from '../shared/values';
import type { FieldContext } from './locator';
import { readOption } from './optionsField';

/** One in ten seconds. */
const LEAST = 0.1;

/** An option of an Options collection. */
export const requestsPerSecondField: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: LEAST },
	default: 5,
	description:
		'How many requests one execution sends in a second at most, evenly spread, tries after a failure included. Without this option there is no limit.',
};

/** Undefined for no limit. */
export const readRequestsPerSecond = (context: FieldContext): number | undefined =>
	readOption<number | undefined>(context, 'requestsPerSecond', undefined, (value) =>
		someNumber(value, 'Requests per Second', LEAST),
	);
