/** Temporary folders, each named after the process that made it. Making one removes those of processes that are gone. */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isRunning } = require('./once');

const OWNER = /^health-data-service-(\d+)-/;

/** An empty folder. The caller removes it. */
function temporaryFolder() {
	for (const name of fs.readdirSync(os.tmpdir())) {
		const [, pid] = OWNER.exec(name) ?? [];
		if (pid && !isRunning(Number(pid))) remove(path.join(os.tmpdir(), name));
	}
	return fs.mkdtempSync(path.join(os.tmpdir(), `health-data-service-${process.pid}-`));
}

/** @param {string} folder */
const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

module.exports = { remove, temporaryFolder };
