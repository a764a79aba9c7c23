/**
 * Reads of many users over made-up answers.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, Query, RequestOptions } from '../../nodes/HealthDataService/http/client';
import { rowsWithoutId } from '../../nodes/HealthDataService/service/readings';
import { readUsers, type UserResult } from '../../nodes/HealthDataService/service/readUsers';
import { RowLimit } from '../../nodes/HealthDataService/service/rowLimit';
import type { SelectedUser, UserSelection } from '../../nodes/HealthDataService/service/userSelection';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { bloodPressure as metric } from './metrics';

export const listed = (name: string, more: Partial<SelectedUser> = {}): SelectedUser => ({
	user: { user_id: name, client_user_id: null },
	place: 1,
	...more,
});
export const page = (...values: number[]): IDataObject => ({
	groups: { omron: [{ data: values.map((systolic) => ({ timestamp: 't', systolic })), source: {} }] },
});

export interface Asked {
	name: string;
	path: string;
	query: Query;
	once?: RequestOptions;
}

export interface Played {
	users: SelectedUser[];
	answer: (name: string, nth: number) => IDataObject | Problem | undefined | Promise<IDataObject>;
	whenMissing?: UserSelection['whenMissing'];
	options?: Partial<Parameters<typeof readUsers>[1]>;
	/** Filled with what is asked. */
	asked?: Asked[];
}

export async function play({ users, answer, whenMissing = async () => {}, options, asked = [] }: Played) {
	const get = (async (path: string, query: Query, onMissing: () => Promise<void>, once?: RequestOptions) => {
		const [, name] = /timeseries\/([^/]+)\//.exec(path)!;
		asked.push({ name: decodeURIComponent(name), path, query, once });
		const given = await answer(decodeURIComponent(name), asked.filter((one) => one.path === path).length);
		if (given instanceof Problem) throw given;
		return given ?? (await onMissing());
	}) as unknown as Get;
	const results: UserResult[] = [];
	const error = await (async () => {
		for await (const one of readUsers(get, {
			metric,
			query: () => ({ provider: 'p' }),
			selection: {
				async *users() {
					yield* users;
				},
				whenMissing,
			},
			width: 2,
			collect: rowsWithoutId(metric, new RowLimit()),
			...options,
		}))
			results.push(one);
	})().catch((thrown: Error) => thrown);
	return { results, asked, error };
}
export const systolic = (results: UserResult[]) => results.map(({ rows }) => rows.map((row) => row.systolic));
