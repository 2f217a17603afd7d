import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommand } from './command.ts';

const files = (command: string): readonly string[] | null => readCommand(command).files;

test('reads of named files are known by their files', () => {
  expect(files('cat src/a.ts')).toEqual(['src/a.ts']);
  expect(files("sed -n '1,120p' src/a.ts")).toEqual(['src/a.ts']);
  expect(files('head -50 a.txt')).toEqual(['a.txt']);
  expect(files('tail -n +5 a.txt | head -n 3')).toEqual(['a.txt']);
  expect(files('nl -ba a.ts | sed -n "10,20p"')).toEqual(['a.ts']);
  expect(files('grep -n "TODO x" a.ts b.ts 2>/dev/null')).toEqual(['a.ts', 'b.ts']);
  expect(files('cat "a b.txt" && wc -l c.txt')).toEqual(['a b.txt', 'c.txt']);
  expect(files('sort -u a | uniq -c')).toEqual(['a']);
});

test('what depends on more than named files changes nothing but is never reused', () => {
  for (const command of [
    'ls -la',
    'git status',
    'git log --oneline -5',
    'grep -rn TODO src',
    'rg TODO',
    'find . -name x',
    'cat *.ts',
    'pwd',
    'date',
    'echo hi',
    'cat',
    'head -5',
    'tail -f log',
    'cat -',
    'ls | head -3',
    'cat a; ls',
  ]) {
    expect([command, readCommand(command)]).toMatchObject([command, { readOnly: true, files: null }]);
  }
});

test('P46: anything not proven read-only may change anything', () => {
  const unsure = [
    'git checkout other-branch',
    'python gen.py',
    'npm install',
    'rm a',
    'sed -i s/a/b/ f',
    "sed 's/a/b/w out' f",
    "sed -n '1e touch x' f",
    'echo x > f',
    'cat a >> b',
    'cat a > /dev/null/x',
    'cat $(touch x)',
    'cat `touch x`',
    'cat "$HOME/x"',
    'cat $X',
    'X=1 cat a',
    'cat a & rm b',
    'cat a &',
    '(cat a)',
    '{ cat a; }',
    'sort -o f f',
    'sort -uo f f',
    'uniq a b',
    'find . -delete',
    'find . -exec rm {} +',
    'rg --pre ./x y',
    'git diff --output=f',
    'git -c core.pager=x log',
    'git commit -m x',
    'tee f',
    'xargs rm',
    'awk "{print}" a',
    'env cat a',
    './cat a',
    '/bin/cat a',
    'cd src',
    'cd src && cat a',
    'cat <(ls)',
    'cat < a',
    'cat <<E\nx\nE',
    'cat a \\\n b',
    "cat 'unclosed",
    'cat "a',
    'cat ~/x',
    'cat a{b,c}',
    '! cat a',
    'date -s now',
    'tree -o f',
    'cat a\nrm b',
    'cat a || rm b',
    'history -c',
    'toString',
    'constructor x',
    '',
    '   ',
    '|',
    '&& cat a',
    'cat a\rrm b',
    'cat a #x',
  ];
  for (const command of unsure) expect([command, readCommand(command).readOnly]).toEqual([command, false]);
});

test('tests, builds and searches are told apart, with one spelling for the same command', () => {
  const category = (command: string): string => readCommand(command).category;
  for (const command of [
    'npm test',
    'npm run test:unit',
    'npx vitest run a',
    'python -m pytest -q',
    'cargo test',
    'make check',
    'cd x && npm test',
    'npm test 2>&1 | tail -20',
    './gradlew :app test',
  ])
    expect([command, category(command)]).toEqual([command, 'test']);
  expect(['npm run build', 'tsc -p .', 'make'].map(category)).toEqual(['build', 'build', 'build']);
  expect(['grep x a', 'rg x', 'cat a', 'npm install', 'npm test > log'].map(category)).toEqual([
    'search',
    'search',
    'read-only',
    'other',
    'other',
  ]);
  expect(readCommand("grep   -n 'a'  b").form).toBe(readCommand('grep -n "a" b').form);
  expect(readCommand("grep 'a b' c").form).not.toBe(readCommand('grep a b c').form);
});

test('no text throws, takes long, or smuggles an operator past the reader', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom(
            'cat ',
            'a',
            ' ',
            ';',
            '|',
            '&',
            '>',
            '<',
            '$',
            '`',
            '"',
            "'",
            '\\',
            '\n',
            '(',
            '#',
            '!',
            '*',
            '~',
            '=',
          ),
          fc.string(),
        ),
        { maxLength: 12 },
      ),
      (parts) => {
        const command = parts.join('');
        const read = readCommand(command);
        const outside = command.replaceAll(/'[^']*'|"[^"]*"|\\./g, '');
        if (/[`$<(]/.test(outside)) expect([command, read.readOnly]).toEqual([command, false]);
      },
    ),
    { numRuns: 1000 },
  );
  const started = performance.now();
  readCommand(`cat ${'\\ '.repeat(2000)}`);
  readCommand(`cat ${"'a'".repeat(1300)}`);
  expect(performance.now() - started).toBeLessThan(2000);
});
