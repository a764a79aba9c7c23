/** Table of outputs: the forms in which readings leave the node. Nothing else compares the value of *Output*. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { LimitGroup } from '../../service/readings/metrics';
import {
	groupedRow,
	identifiedRows,
	readingColumns,
	type Group,
} from '../../service/readings/rows';
import {
	dayRows,
	periodColumns,
	summaryRows,
	type SummaryOptions,
} from '../../service/readings/summary';
import { personRows, REPORT_COLUMNS, teamReport } from '../../messages/report';
import type { SelectedUser } from '../../service/users/selection';

export interface Output {
	name: string;
	/** Saved in workflows: never changes. */
	value: string;
	description: string;
	/** Whether each reading is a row, so that a user's last pages may not be needed. */
	isPerReading?: boolean;
	/** Whether the range begins and ends with whole days. */
	isWholeDays?: boolean;
	/** Whether each user is a row. */
	isPerUser?: boolean;
	/** The groups of *Limits* that it has. */
	limitGroups?: readonly LimitGroup[];
	/** Whether it has the options for a judgement of a user. */
	hasJudgement?: boolean;
	/** Makes one item of all users, who have a row each. Users who could not be read are told in it. */
	toMessage?: typeof teamReport;
	columns: (options: SummaryOptions) => string[];
	toRows: (
		options: SummaryOptions,
		groups: Group[],
		selected: SelectedUser,
	) => IDataObject[];
}

const DEFAULT_OUTPUT = 'readings';

/** The limits of those that judge a user. */
const JUDGEMENT: readonly LimitGroup[] = ['mean', 'high', 'low', 'enough'];

export const OUTPUTS: readonly Output[] = [
	{
		name: 'One Item per Reading',
		value: DEFAULT_OUTPUT,
		description: 'Flat rows, ready for a table or a sheet',
		isPerReading: true,
		columns: readingColumns,
		toRows: identifiedRows,
	},
	{
		name: 'One Item per Day',
		value: 'daily',
		description: 'A row per user and day, with means or sums',
		isWholeDays: true,
		limitGroups: ['mean', 'high', 'low'],
		columns: (options) => periodColumns('day', options),
		toRows: dayRows,
	},
	{
		name: 'Summary per User',
		value: 'summary',
		description: 'A row per user with means or sums, also without readings',
		isPerUser: true,
		limitGroups: JUDGEMENT,
		hasJudgement: true,
		columns: (options) => periodColumns('summary', options),
		toRows: summaryRows,
	},
	{
		name: 'One Message',
		value: 'message',
		description:
			'What a person should know, as text and HTML for chat and email',
		limitGroups: JUDGEMENT,
		hasJudgement: true,
		columns: () => REPORT_COLUMNS,
		toRows: personRows,
		toMessage: teamReport,
	},
	{
		name: 'One Item per User',
		value: 'grouped',
		description: 'All readings of a user in one item, grouped by provider',
		isPerUser: true,
		columns: () => ['user_id', 'client_user_id', 'groups'],
		toRows: (_, groups, { user }) => [groupedRow(groups, user)],
	},
];

/** The values of those for which this holds. */
export const outputsWhere = (holds: (one: Output) => unknown) =>
	OUTPUTS.filter(holds).map(({ value }) => value);

export const outputField: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: DEFAULT_OUTPUT,
	description: 'The form in which the readings leave this node',
	options: OUTPUTS.map(({ name, value, description }) => ({
		name,
		value,
		description,
	})),
};
