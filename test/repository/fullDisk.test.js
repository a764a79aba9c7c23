/** A full disk: an installation ends at once and says so. npm itself goes on for minutes, and calls it a success. */
const { run } = require('../../dev/install/command');
const { remove, temporaryFolder } = require('../../dev/install/temporary');

it('ends the installation and names the reason', async () => {
	const folder = temporaryFolder();
	const endless = `console.error('npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write');
		setInterval(() => undefined, 1000);`;
	const options = { cwd: folder, env: {}, logFile: `${folder}/npm.log`, usesRegistry: true };
	await expect(run('npm install', [process.execPath, '-e', endless], options)).rejects.toThrow(
		'npm install failed. The disk is full.',
	);
	remove(folder);
});
