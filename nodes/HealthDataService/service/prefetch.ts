/**
 * Pages of the user list that are asked for before their turn, and called off when nobody wants them any more.
 */
import type { Get } from '../http/client';
import { quietly } from '../shared/mapInOrder';
import { pageBeyondTotal, userPage, type UserPage } from './userPage';

/** A page as it is asked for. */
export interface PageRequest {
	offset: number;
	limit: number;
	/** Whether `total` says that the list ends before it. */
	isBeyondTotal: boolean;
}

export class Prefetch {
	private readonly started = new Map<string, Promise<UserPage>>();
	/** Goes up when all that was asked for is called off. */
	private generation = 0;

	constructor(private readonly get: Get) {}

	/** A failure waits until the page's turn comes, and is nobody's when it never does. */
	start(ask: PageRequest) {
		const key = pageKey(ask);
		if (!this.started.has(key)) this.started.set(key, quietly(this.request(ask)));
	}

	async take(ask: PageRequest): Promise<UserPage> {
		this.start(ask);
		const page = this.started.get(pageKey(ask))!;
		this.started.delete(pageKey(ask));
		return await page;
	}

	/** What still waits to be sent is not sent. */
	cancel() {
		this.generation++;
		this.started.clear();
	}

	private async request({ offset, limit, isBeyondTotal }: PageRequest): Promise<UserPage> {
		const { generation } = this;
		const request = isBeyondTotal ? pageBeyondTotal : userPage;
		return await request(this.get, offset, limit, { isCancelled: () => this.generation !== generation });
	}
}

const pageKey = ({ offset, limit }: PageRequest) => `${offset} ${limit}`;
