/**
 * pass^k: the mean over tasks of the chance that k of the task's n trials, drawn without return, all passed:
 * C(passed, k) / C(n, k). Throws a RangeError for no tasks, for k below 1 and for a task with fewer than k trials.
 */
export function passHatK(trials: readonly (readonly boolean[])[], k: number): number {
  if (trials.length === 0 || !Number.isInteger(k) || k < 1)
    throw new RangeError('pass^k needs tasks and a k of 1 or more');
  const chances = trials.map((results, task) => {
    if (results.length < k)
      throw new RangeError(`task ${task} has ${results.length} trials, fewer than k = ${k}`);
    const passed = results.filter(Boolean).length;
    let chance = 1;
    for (let i = 0; i < k; i++) chance *= Math.max(passed - i, 0) / (results.length - i);
    return chance;
  });
  return chances.reduce((total, chance) => total + chance, 0) / trials.length;
}
