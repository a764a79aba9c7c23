/** Ports of the programs that tests and demo start: one is free until its program listens on it. */
const net = require('node:net');
const { freePort } = require('../../dev/host/process/ports');

it('100 free ports are hardly ever the same, and none is one of outgoing connections', async () => {
	const ports = await Promise.all(Array.from({ length: 100 }, async () => await freePort()));
	expect(Math.max(...ports)).toBeLessThan(32_768);
	expect(new Set(ports).size).toBeGreaterThan(90);
});

it('a port in use is named, and not taken', async () => {
	const server = net.createServer();
	await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
	const { port } = /** @type {net.AddressInfo} */ (server.address());
	await expect(freePort(port)).rejects.toThrow(`Port ${port} is already in use`);
	await new Promise((resolve) => server.close(resolve));
	expect(await freePort(port)).toBe(port);
});
