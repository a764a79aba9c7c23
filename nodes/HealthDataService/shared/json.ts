/**
 * JSON of unknown shape: what counts as an object, and when two values are the same.
 */
import type { IDataObject } from 'n8n-workflow';

/** Whether a part of an answer is what JSON calls an object. */
export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON that is the same for the same content, whatever the order of the fields. */
export function stableJson(value: unknown): string {
	return JSON.stringify(value, (_, inner: unknown) =>
		isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
	);
}
