/** Users of a selection as a read finds them: those of entries are resolved one by one. */
import type { Get } from '../../nodes/HealthDataService/http/client';
import type { SelectedUser, UserSelection } from '../../nodes/HealthDataService/service/users/selection';

export async function resolved(selection: UserSelection, get: Get): Promise<SelectedUser[]> {
	const found: SelectedUser[] = [];
	for await (const one of selection.users(get)) {
		const user = one.resolve ? await one.resolve(one, get) : one;
		if (user) found.push(user);
	}
	return found;
}
