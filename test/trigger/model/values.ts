/** Values of a history by their code: how the service writes each, and which minimums it reaches. Independent of the node. */

/** High Systolic, Low Systolic. */
export interface Limits {
	least?: number;
	most?: number;
}

const KPA = 7.50062;

interface Written {
	systolic: unknown;
	diastolic: unknown;
	unit: string;
	/** In mmHg; undefined: cannot be compared; null: reaches nothing. */
	compared?: number | null;
}

/** Codes from 98 to 106 are that many mmHg over 80. */
const SPECIAL: Record<number, Written> = {
	// Whole mmHg, of which no other code has both.
	1: { systolic: 13.3, diastolic: 10.4, unit: 'kPa', compared: Math.round(13.3 * KPA) },
	2: { systolic: 14, diastolic: 10.6, unit: 'kPa', compared: Math.round(14 * KPA) },
	3: { systolic: 2047, diastolic: 2047, unit: 'mmHg', compared: null },
	4: { systolic: 0, diastolic: 0, unit: 'mmHg', compared: null },
	// Not above the diastolic value.
	5: { systolic: 105, diastolic: 140, unit: 'mmHg', compared: null },
	6: { systolic: null, diastolic: 80, unit: 'mmHg', compared: null },
	7: { systolic: '190 mmHg', diastolic: 80, unit: 'mmHg' },
	8: { systolic: 101, diastolic: 80, unit: 'psi' },
};
export const CODES = [100, 101, 102, 103, 104, 100, 101, 102, 103, 104, ...Object.keys(SPECIAL).map(Number)];

export const writtenAs = (code: number): Written =>
	SPECIAL[code] ?? { systolic: code, diastolic: 80, unit: 'mmHg', compared: code };

export function reaches(code: number, { least, most }: Limits): boolean {
	if (least === undefined && most === undefined) return true;
	const { compared } = writtenAs(code);
	if (compared === undefined) return true;
	return compared !== null && (compared >= (least ?? Infinity) || compared <= (most ?? -Infinity));
}
