/**
 * Pages of the user list that are asked for before their turn, and called off when nobody wants them any more.
 */
import type { Get } from '../http/connect';
import { quietly } from '../shared/inOrder';
import { pageBehindTotal, userPage, type UserPage } from './userPage';

/** A page as it is asked for. */
export interface Ask {
	offset: number;
	limit: number;
	/** Whether `total` says that the list ends before it. */
	isBehindTotal: boolean;
}

export class PagesAhead {
	private readonly asked = new Map<string, Promise<UserPage>>();
	/** Goes up when all that was asked for is called off. */
	private round = 0;

	constructor(private readonly get: Get) {}

	/** A failure waits until the page's turn comes, and is nobody's when it never does. */
	ask(ask: Ask) {
		const key = keyOf(ask);
		if (!this.asked.has(key)) this.asked.set(key, quietly(this.request(ask)));
	}

	async take(ask: Ask): Promise<UserPage> {
		this.ask(ask);
		const page = this.asked.get(keyOf(ask))!;
		this.asked.delete(keyOf(ask));
		return await page;
	}

	/** What still waits to be sent is not sent. */
	callOff() {
		this.round++;
		this.asked.clear();
	}

	private async request({ offset, limit, isBehindTotal }: Ask): Promise<UserPage> {
		const { round } = this;
		const request = isBehindTotal ? pageBehindTotal : userPage;
		return await request(this.get, offset, limit, { isOver: () => this.round !== round });
	}
}

const keyOf = ({ offset, limit }: Ask) => `${offset} ${limit}`;
