/**
 * What becomes of a user whose readings cannot be read while others can: the end of the node, or a row of their own.
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import type { UserRef } from '../../service/readings';
import { Problem } from '../../shared/problem';

/** On Error "Stop", with many users. The client's own identifier is not named: it may tell who it is. */
export function unreadableProblem(user: UserRef, problem: Problem, fine: number): Problem {
	const { message, description, kind, httpCode } = problem;
	const others = fine === 1 ? '1 other user was' : `${fine.toLocaleString('en')} other users were`;
	// Who could not even be found is named by the place in the list.
	const whose = user.user_id ? `The readings of the user ${user.user_id} could not be read. ` : '';
	return new Problem(
		whose + message,
		`${description}. So far ${others} read. To go on without users who cannot be read, set 'On Error' to Continue in the settings of this node`,
		{ kind, httpCode, concernsAll: true },
	);
}

/**
 * On Error "Continue": a row for the user. n8n sends only rows of `error`, `message` and `details` to the error output.
 * They go behind the sound rows: n8n tries the whole node again (*Retry On Fail*) when the first row has `error`.
 */
export function unreadableRow(context: IExecutePaginationFunctions, user: UserRef, problem: Problem): IDataObject {
	const { message: error, description } = problem;
	const who = { ...user, user_id: user.user_id || null };
	return context.getNode().onError === 'continueErrorOutput'
		? { error, details: { ...who, advice: description } }
		: { ...who, error, details: description };
}
