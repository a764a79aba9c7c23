/**
 * When the pages of a list stop making sense: the same one for whatever is asked, or nobody new however often it is read.
 */
import type { IDataObject } from 'n8n-workflow';
import { Problem } from '../shared/problem';

/**
 * A page may look the same from two places because people have joined in front of it meanwhile: as many as the places are
 * apart. So many do not.
 */
const FAR_APART = 40;

/** Pages in a row without anybody new. People who come and go cost a few at a time. */
const IDLE_PAGES = 50;

export class IdleWatch {
	private last = '';
	private firstOffset = 0;
	private same = 0;
	private idle = 0;

	/** @throws Problem when there is no use in asking on */
	check(offset: number, users: IDataObject[], hasNew: boolean) {
		const page = JSON.stringify([users.length, users[0]?.user_id, users.at(-1)?.user_id]);
		const isSame = users.length > 0 && page === this.last;
		if (!isSame) this.firstOffset = offset;
		this.same = isSame ? this.same + 1 : 0;
		this.last = page;
		this.idle = hasNew ? 0 : this.idle + 1;
		if (this.same >= 2 && offset - this.firstOffset >= FAR_APART) throw samePage();
		if (this.idle >= IDLE_PAGES) throw alwaysMoving();
	}
}

const samePage = () =>
	new Problem(
		'The service gives the same page of its user list again and again',
		"It seems to ignore 'offset', so that the list cannot be read to its end. Ask the people who run the service",
		{ concernsAll: true },
	);

const alwaysMoving = () =>
	new Problem(
		'The user list changes while it is read, faster than it can be read',
		'Try again when fewer users come and go. If it stays, ask the people who run the service whether the list has a fixed order',
		{ concernsAll: true },
	);
