/**
 * What a process has taken so far, from Linux's /proc.
 */
const { readFileSync } = require('node:fs');

/** Of /proc, on every Linux there is. */
const TICKS_PER_SECOND = 100;

/** @typedef {{ pid?: number }} Process */

/** Seconds of CPU. @param {Process} process */
function cpuSeconds({ pid }) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
		.replace(/^.*\) /, '')
		.split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The most memory. @param {Process} process */
const mostMegabytes = ({ pid }) =>
	Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

module.exports = { cpuSeconds, mostMegabytes };
