/**
 * Minimum Systolic and its kin: which readings are worth an execution. Those that are not count as seen all the same.
 */
import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { readOption } from '../fields/options';
import { metrics, type ThresholdOption } from '../service/metrics';
import { numberIn, someNumber } from '../shared/values';
import type { Threshold, TriggerState } from './state';

/** Options of an Options collection, each shown for its own event. */
export const thresholdFields: INodeProperties[] = metrics.flatMap((metric) =>
	metric.thresholds.map(
		({ option, name, default: threshold }): INodeProperties => ({
			displayName: name,
			name: option,
			type: 'number',
			typeOptions: { minValue: 0 },
			default: threshold,
			description: `Start the workflow only for a ${metric.noun} that reaches this value${
				metric.thresholds.length > 1 ? ', or another minimum that is given' : ''
			}. The others count as seen.`,
			displayOptions: { show: { '/event': [metric.value] } },
		}),
	),
);

/** Those that are given. */
export const readThresholds = (context: IPollFunctions, minimums: readonly ThresholdOption[]): Threshold[] =>
	minimums.flatMap(({ column, option, name }) => {
		const least = readOption<number | undefined>(context, option, undefined, (value) => someNumber(value, name, 0));
		return least === undefined ? [] : [{ column, least }];
	});

/** Whether a row reaches any of them, or none is given. Null reaches none. */
export const reachesThreshold = (given: Threshold[], row: IDataObject): boolean =>
	given.length === 0 || given.some(({ column, least }) => (numberIn(row[column]) ?? -Infinity) >= least);

/** The old minimums judge until a round is whole that began with the new ones. */
export function withThresholds(
	next: TriggerState,
	before: TriggerState,
	minimums: Threshold[],
	begins: boolean,
): TriggerState {
	const began = before.round ? (before.round.minimums ?? []) : minimums;
	const judging = !next.round ? began : begins ? minimums : (before.minimums ?? []);
	return {
		...next,
		...(judging.length > 0 && { minimums: judging }),
		...(next.round && { round: { ...next.round, ...(began.length > 0 && { minimums: began }) } }),
	};
}
