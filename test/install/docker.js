/** Carries out docs/Dockerfile without a container engine: step by step, in a folder laid out like the image. */
const { execFile } = require('node:child_process');
const { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { promisify } = require('node:util');
const { cleanEnvironment, withFirstOnPath } = require('../../dev/install/cleanEnvironment');
const { docs } = require('./page');

/** @param {string} file @returns {Array<[instruction: string, argument: string]>} */
function stepsOf(file) {
	const text = readFileSync(file, 'utf8')
		.replace(/^#.*\n/gm, '')
		.replace(/\\\n/g, ' ');
	const lines = text.split('\n').filter((line) => line.trim());
	return lines.map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1).trim()]);
}

/**
 * @param {string} root in the place of `/`
 * @param {string} bin a folder with the `npm`, `n8n` and `tini` of the image
 * @param {string} context the folder that `docker build` is given
 */
async function buildImage(root, bin, context = docs) {
	/** What is absolute in the image lies below `root`, also where scripts name it. @param {string} text */
	const below = (text) => text.replace(/(?<![\w}.-])\/(?=opt|tmp|home|docker-)/g, `${root}/`);
	const home = join(root, 'home', 'node');
	for (const folder of [home, join(root, 'tmp')]) mkdirSync(folder, { recursive: true });
	// As n8n's sources have it, but for certificates.
	writeFileSync(join(root, 'docker-entrypoint.sh'), '#!/bin/sh\nexec n8n "$@"\n', { mode: 0o755 });

	const image = { from: '', folder: root, entrypoint: [''] };
	/** @type {Record<string, string>} */
	const args = {};
	/** @param {string[]} command */
	const execute = async ([file, ...words]) => {
		const env = withFirstOnPath(cleanEnvironment({ ...args, HOME: home }), bin);
		return (await promisify(execFile)(file, words, { cwd: image.folder, env })).stdout;
	};

	/** @type {Record<string, (argument: string) => unknown>} */
	const carryOut = {
		FROM: (argument) => (image.from = argument),
		ARG: (argument) => Object.assign(args, { [argument.split('=')[0]]: argument.split('=')[1] }),
		// One user has to do here.
		USER: () => {},
		WORKDIR: (argument) => mkdirSync((image.folder = below(argument)), { recursive: true }),
		RUN: (argument) => execute(['sh', '-e', '-c', below(argument)]),
		COPY: (argument) => {
			const words = argument.split(' ');
			const to = below(words.pop() ?? '');
			// A pattern may match nothing, as long as another source is there.
			const isMeant = new RegExp(`^(${words.join('|').replaceAll('.', '\\.').replaceAll('*', '.*')})$`);
			for (const name of readdirSync(context).filter((one) => isMeant.test(one))) {
				if (name.endsWith('.sh')) writeFileSync(join(to, name), below(readFileSync(join(context, name), 'utf8')));
				else copyFileSync(join(context, name), join(to, name));
			}
		},
		ENTRYPOINT: (argument) => (image.entrypoint = JSON.parse(argument)),
	};
	for (const [instruction, argument] of stepsOf(join(context, 'Dockerfile'))) await carryOut[instruction](argument);

	return {
		from: image.from,
		home,
		/** What a container does at its start, with these arguments of `docker run`; gives its output. */
		start: (/** @type {string[]} */ ...words) => execute([...image.entrypoint.map(below), ...words]),
	};
}

module.exports = { buildImage };
