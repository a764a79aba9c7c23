/**
 * JSON of unknown shape: object check, and a stable text for comparison. A file of its own, because fields, service and http use it.
 */
import type { IDataObject } from 'n8n-workflow';

/** Whether a value is a JSON object: no array, no null. */
export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON with sorted keys: equal for equal content. */
export function stableJson(value: unknown): string {
	return JSON.stringify(value, (_, inner: unknown) =>
		isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
	);
}
