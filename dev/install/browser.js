/** Browser of the browser test: a Chromium or Chrome on the PATH, else Debian's. */
const { findOrInstall, findProgram } = require('./debian');

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const findBrowser = () => BROWSERS.map((name) => findProgram(name)).find(Boolean);

const installBrowser = async () =>
	await findOrInstall(findBrowser, {
		what: 'The browser test needs Chromium or Chrome on the PATH',
		packages: ['chromium'],
	});

module.exports = { findBrowser, installBrowser };
