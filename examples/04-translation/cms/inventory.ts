/** The rest of the CMS: 54 tools that a translation does not need, which exist and answer. */
import type { JsonObject } from '@skillstate/runtime';
import type { CmsTool } from './tools.ts';

const NOUNS = [
  'ad_campaign',
  'comment',
  'event',
  'form',
  'gallery',
  'menu_entry',
  'product',
  'push_audience',
  'redirect',
  'cms_section',
  'sound',
  'subscription_plan',
  'theme',
  'user_group',
  'video',
  'webhook',
  'coupon',
  'page_template',
] as const;

const words = (noun: string): string => noun.replaceAll('_', ' ');

function about(noun: string): Readonly<Record<string, JsonObject>> {
  return {
    title: {
      type: 'string',
      maxLength: 200,
      description: `The title of the ${words(noun)} as visitors see it.`,
    },
    status: {
      enum: ['draft', 'published', 'archived'],
      description: `Whether the ${words(noun)} can be seen.`,
    },
    position: {
      type: 'integer',
      minimum: 0,
      description: `Where the ${words(noun)} stands among its neighbours.`,
    },
    tags: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 20,
      description: 'Tags, without the hash sign.',
    },
    settings: {
      type: 'object',
      description: `Settings of the ${words(noun)}; keys that are not known are ignored.`,
      properties: {
        visible_from: { type: 'string', format: 'date-time', description: 'ISO 8601 with zone.' },
        visible_until: { type: 'string', format: 'date-time', description: 'ISO 8601 with zone.' },
        platforms: { type: 'array', items: { enum: ['ios', 'android', 'web'] } },
      },
    },
  };
}

const WHAT =
  ' Part of the administration API; needs the editor role; counted against the rate limit of the application.';

function threeTools(noun: string): CmsTool[] {
  const answer = { items: [], total: 0 };
  return [
    {
      name: `cms_list_${noun}s`,
      description: `Lists ${words(noun)}s page by page, newest first.${WHAT}`,
      kind: 'list',
      properties: {
        page: { type: 'integer', minimum: 1, description: 'Page number, from 1.' },
        per_page: { type: 'integer', minimum: 1, maximum: 100, description: 'Entries of a page.' },
        status: { enum: ['draft', 'published', 'archived'], description: 'Only those with this status.' },
      },
      required: [],
      run: () => answer,
    },
    {
      name: `cms_get_${noun}`,
      description: `Reads one ${words(noun)} with its settings.${WHAT}`,
      kind: 'read',
      properties: { id: { type: 'integer', minimum: 1, description: `The ${words(noun)}.` } },
      required: [],
      run: (_db, { id }) => ({ id: id ?? null, kind: noun, status: 'ok' }),
    },
    {
      name: `cms_create_${noun}`,
      description: `Creates a ${words(noun)}.${WHAT}`,
      kind: 'write',
      properties: about(noun),
      required: ['title'],
      run: (_db, { title }) => ({ id: 1, kind: noun, title }),
    },
  ];
}

export const OTHER_TOOLS: readonly CmsTool[] = NOUNS.flatMap(threeTools);
