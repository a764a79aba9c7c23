/** Metrics by name: tests never take them by position, which changes with each new metric. */
import { metrics } from '../../nodes/HealthDataService/service/readings/metrics';

export const metricOf = (name: string) => {
	const metric = metrics.find(({ value }) => value === name);
	if (!metric) throw new Error(`There is no metric ${name}`);
	return metric;
};
export const bloodPressure = metricOf('bloodPressure');
export const mindfulness = metricOf('mindfulnessMinutes');
