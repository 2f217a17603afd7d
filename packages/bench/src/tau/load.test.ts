import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadTau, tauCheckoutCommand, toolsOf, writeJson } from './tau.ts';

const own = fileURLToPath(new URL('./fixtures/tau', import.meta.url));

/** Lays the small retail data out as a checkout of the original does, with Python files. */
function checkout(): string {
  const root = mkdtempSync(join(tmpdir(), 'tau-'));
  const folder = join(root, 'tau_bench', 'envs', 'retail');
  mkdirSync(join(folder, 'tools'), { recursive: true });
  for (const table of ['orders', 'products', 'users'])
    cpSync(join(own, 'retail', `${table}.json`), join(folder, 'data', `${table}.json`));
  cpSync(join(own, 'retail', 'wiki.md'), join(folder, 'wiki.md'));
  writeFileSync(join(folder, 'rules.py'), '# rules\nRULES = [\n    "Be kind.",  # always\n]\n');
  writeFileSync(
    join(folder, 'tasks_test.py'),
    [
      'from tau_bench.types import Action, Task',
      'TASKS_TEST = [',
      '    Task(annotator="0", user_id="ana_1", instruction="It\'s \\"one\\" "',
      "        'text',",
      '        actions=[Action(name="think", kwargs={"thought": "a", "n": 5.0, "list": [1, -2, None, True],}),],',
      '        outputs=("10",),',
      '    ),',
      ']',
    ].join('\n'),
  );
  for (const { name } of toolsOf('retail'))
    writeFileSync(
      join(folder, 'tools', `${name}.py`),
      `class T(Tool):\n    @staticmethod\n    def get_info() -> Dict[str, Any]:\n        return {"name": "${name}", "d": ("a "\n "b")}\n`,
    );
  return root;
}

test('a checkout of the original is read without running its Python', () => {
  const root = checkout();
  const domain = loadTau(root, 'retail');
  rmSync(root, { recursive: true });
  expect(domain.rules).toEqual(['Be kind.']);
  expect(domain.snapshot.hash).toBe(loadTau(own, 'retail').snapshot.hash);
  const task = domain.tasks.get('test')?.[0];
  expect(task).toMatchObject({ index: 0, userId: 'ana_1', instruction: 'It\'s "one" text', outputs: ['10'] });
  expect(writeJson(task?.actions[0]?.kwargs ?? null)).toBe(
    '{"thought": "a", "n": 5.0, "list": [1, -2, null, true]}',
  );
  expect(domain.toolSchemas.length).toBe(16);
  expect(domain.toolSchemas[0]?.get('d')).toBe('a b');
});

test('a Python file that is more than literals is refused with its name and line', () => {
  const root = checkout();
  writeFileSync(
    join(root, 'tau_bench/envs/retail/tasks_test.py'),
    'TASKS = [\n  __import__("os").system("x"),\n]',
  );
  expect(() => loadTau(root, 'retail')).toThrow(/tasks_test\.py: .*line 2/);
  rmSync(root, { recursive: true });
});

test('absent data gives the one command that gets it', () => {
  expect(() => loadTau(tmpdir(), 'airline')).toThrow(tauCheckoutCommand);
});

test('the plain layout keeps the order of keys that look like numbers', () => {
  const products = loadTau(own, 'retail').snapshot.tables.get('products');
  expect([...(products?.records.keys() ?? [])]).toEqual(['900', '90']);
});
