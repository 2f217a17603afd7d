/**
 * The walk-through's model: it reads the state and the latest observation from the prompt's text, and nothing else.
 * What it writes into the state in its first turns is what the walk-through shows.
 */
type State = { task: string; facts: string[]; progress: string; open_questions: string[]; done: boolean };

const ADMIN = 'CSV export is admin-only';
const JSON_API = 'existing JSON API must remain compatible';
const UTC = 'CSV timestamps must use UTC';
const PATHS = ['routes/orders.ts', 'middleware/require-admin.ts', 'tests/orders.test.ts'];

const EXPORT = `import { requireAdmin } from '../middleware/require-admin.ts';

type User = { role: string };
const orders = [{ id: 1, at: Date.UTC(2026, 0, 2, 3, 4, 5) }];

/** Times are ISO 8601 in UTC. */
function csv(user: User): string {
  requireAdmin(user);
  return ['id,at', ...orders.map((order) => \`\${order.id},\${new Date(order.at).toISOString()}\`)].join('\\n');
}

export const routes = [
  { method: 'GET', path: '/orders', handler: () => ({ json: ['order 1', 'order 2'] }) },
  { method: 'GET', path: '/orders/export.csv', handler: (user: User) => ({ csv: csv(user) }) },
];
`;

const TESTS = `import { routes } from '../routes/orders.ts';

const route = (path: string) => routes.find((entry) => entry.path === path);
if (route('/orders') === undefined) throw new Error('GET /orders is gone');
const exporting = route('/orders/export.csv')?.handler as (user: { role: string }) => { csv: string };
if (!exporting({ role: 'admin' }).csv.includes('2026-01-02T03:04:05.000Z')) throw new Error('times must be UTC');
let refused = false;
try {
  exporting({ role: 'clerk' });
} catch {
  refused = true;
}
if (!refused) throw new Error('only admins may export');
`;

function section(prompt: string, title: string): string {
  const from = prompt.lastIndexOf(`\n## ${title}\n`);
  return from < 0 ? '' : (prompt.slice(from).split('\n## ')[1] ?? '');
}

export default function reply(prompt: string): string {
  const state = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(section(prompt, 'State'))?.[1] ?? '{}') as State;
  const [reasoning, patch, action] = decide(state, section(prompt, 'Observation'));
  return `${reasoning}\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action })}\n\`\`\``;
}

type Decision = [reasoning: string, patch: object, action: { tool: string; args: object }];

function decide(state: State, observation: string): Decision {
  const facts =
    /UTC/.test(observation) && !state.facts.includes(UTC)
      ? [...state.facts.slice(0, 2), UTC, ...state.facts.slice(2)]
      : state.facts;
  switch (state.progress) {
    case 'not_started':
      return [
        'First find the order route, the permission check and the tests.',
        {
          task: 'add CSV export to order list',
          facts: [ADMIN, JSON_API],
          progress: 'locating implementation',
          open_questions: [
            'where is the order list implemented?',
            'how does the project enforce admin access?',
          ],
          done: false,
        },
        { tool: 'search_code', args: { query: 'orders route admin middleware' } },
      ];
    case 'locating implementation':
      return [
        'The three files are found; read them.',
        {
          facts: [
            ...facts,
            'order list is implemented in routes/orders.ts',
            'admin access uses requireAdmin()',
            'order tests are in tests/orders.test.ts',
          ],
          progress: 'reading implementation',
          open_questions: ['what response shape and query parameters already exist?'],
          done: false,
        },
        { tool: 'read_files', args: { paths: PATHS } },
      ];
    case 'reading implementation': {
      const next = {
        tool: 'edit_files',
        args: { files: { 'routes/orders.ts': EXPORT, 'tests/orders.test.ts': TESTS } },
      };
      return [
        'A separate route keeps the JSON answer as it is.',
        {
          facts: [
            ...facts,
            'GET /orders returns JSON and must remain unchanged',
            'CSV export should use a separate route',
          ],
          progress: 'ready to implement',
          open_questions: [],
          next_action: { tool: 'edit_files', args: { paths: ['routes/orders.ts', 'tests/orders.test.ts'] } },
          done: false,
        },
        next,
      ];
    }
    case 'ready to implement':
      return ['Now the tests.', { progress: 'testing', next_action: null }, { tool: 'run_tests', args: {} }];
    default:
      if (/status: ok/.test(observation))
        return [
          'Done.',
          { progress: 'done', done: true },
          { tool: 'finish', args: { summary: 'CSV export for admins, times in UTC' } },
        ];
      return ['The tests do not pass.', { progress: 'ready to implement' }, { tool: 'run_tests', args: {} }];
  }
}
