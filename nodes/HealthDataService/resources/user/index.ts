/**
 * Resource User: its operations. A file of its own, as for each resource.
 */
import type { INodeProperties } from 'n8n-workflow';
import { listFields, listOperation } from './list';
import { resolveFields, resolveOperation } from './resolve';

export const userDescription: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['user'] } },
		options: [listOperation, resolveOperation],
		default: 'list',
	},
	...listFields,
	...resolveFields,
];
