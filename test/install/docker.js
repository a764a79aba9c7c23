/**
 * Carries out docs/Dockerfile without a container engine: step by step, in a folder laid out like the image.
 */
const { execFile } = require('node:child_process');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { promisify } = require('node:util');
const { cleanEnvironment, withFirstOnPath } = require('../../dev/install/cleanEnvironment');
const { docs } = require('./page');

/** @param {string} file @returns {Array<[instruction: string, argument: string]>} */
function stepsOf(file) {
	const text = readFileSync(join(docs, file), 'utf8')
		.replace(/^#.*\n/gm, '')
		.replace(/\\\n/g, ' ');
	const lines = text.split('\n').filter((line) => line.trim());
	return lines.map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1).trim()]);
}

/**
 * @param {string} root in the place of `/`
 * @param {string} bin a folder with the `npm`, `n8n` and `tini` of the image
 */
async function buildImage(root, bin) {
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
			const [from, to] = argument.split(' ');
			writeFileSync(below(to), below(readFileSync(join(docs, from), 'utf8')));
		},
		ENTRYPOINT: (argument) => (image.entrypoint = JSON.parse(argument)),
	};
	for (const [instruction, argument] of stepsOf('Dockerfile')) await carryOut[instruction](argument);

	return {
		from: image.from,
		home,
		/** What a container does at its start, with these arguments of `docker run`; gives its output. */
		start: (/** @type {string[]} */ ...words) => execute([...image.entrypoint.map(below), ...words]),
	};
}

module.exports = { buildImage };
