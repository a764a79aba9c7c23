/** REST client of n8n, logged in as its owner: cookie, browser id, errors that show n8n's answer. */

/** Login for a temporary n8n on this machine only; the demo prints it. */
const OWNER = {
	email: 'owner@example.com',
	password: 'Demo-Owner-1',
	firstName: 'Demo',
	lastName: 'Owner',
};

/**
 * `fetch` with a connection per request: n8n closes one that is idle for five seconds, perhaps while the next request is on
 * its way.
 * @param {string | URL} url
 * @param {RequestInit} [request]
 */
async function fetchAlone(url, request) {
	const headers = new Headers(request?.headers);
	headers.set('connection', 'close');
	return await fetch(url, { ...request, headers });
}

/** n8n ties a session to the browser that logged in. */
const BROWSER_ID = 'host-rest-client';

class RestError extends Error {
	/** @param {string} message @param {number} status */
	constructor(message, status) {
		super(message);
		this.name = 'RestError';
		this.status = status;
	}
}

class RestClient {
	#cookie = '';

	/** @param {string} baseUrl */
	constructor(baseUrl) {
		this.baseUrl = baseUrl;
	}

	/**
	 * @param {string} method
	 * @param {string} path such as `/rest/workflows`
	 * @param {unknown} [body]
	 * @returns {Promise<any>} what the answer holds under `data`, or all of it
	 */
	async call(method, path, body) {
		const response = await fetchAlone(this.baseUrl + path, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': BROWSER_ID,
				cookie: this.#cookie,
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const login = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (login) this.#cookie = login.split(';')[0];
		const text = await response.text();
		if (!response.ok)
			throw new RestError(`${method} ${path}: ${response.status} ${text.slice(0, 1000)}`, response.status);
		if (!response.headers.get('content-type')?.includes('json')) return text;
		const json = JSON.parse(text);
		return json?.data ?? json;
	}

	/** @param {string} path */
	get(path) {
		return this.call('GET', path);
	}

	/** @param {string} path @param {unknown} [body] */
	post(path, body = {}) {
		return this.call('POST', path, body);
	}

	/** @param {string} path @param {unknown} body */
	patch(path, body) {
		return this.call('PATCH', path, body);
	}

	/** @param {string} path */
	delete(path) {
		return this.call('DELETE', path);
	}

	/** Logs in; in a fresh n8n this makes the owner first. */
	async logIn() {
		try {
			return await this.post('/rest/owner/setup', OWNER);
		} catch (error) {
			// 400: there is an owner already.
			if (!(error instanceof RestError) || error.status !== 400) throw error;
		}
		return await this.post('/rest/login', { emailOrLdapLoginId: OWNER.email, password: OWNER.password });
	}
}

module.exports = { fetchAlone, OWNER, RestClient, RestError };
