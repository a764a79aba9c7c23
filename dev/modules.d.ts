/** Types of modules that bring none, as far as they are used here. */
declare module 'tsx/cjs' {}

declare module '@n8n/node-cli/eslint' {
	export const config: Array<import('eslint').Linter.Config>;
}

declare module 'gulp' {
	type Task = (() => Promise<void> | NodeJS.ReadWriteStream) | ((done: () => void) => void);
	export function src(pattern: string, options: { base: string; encoding: false }): NodeJS.ReadableStream;
	export function dest(folder: string): NodeJS.ReadWriteStream;
	export function parallel(...tasks: Task[]): Task;
	export function series(...tasks: Task[]): Task;
}
