/** A limit for tests that ends no read. */
import { RowLimit } from '../../nodes/HealthDataService/service/readings/rowLimit';

export const allRows = new RowLimit(Infinity, () => {
	throw new Error('Too many rows for a test');
});
