/** The six English articles. The third has a title and nothing under it: its split yields no paragraph. */
export type SourceArticle = {
  readonly id: number;
  readonly title: string;
  readonly paragraphs: readonly string[];
};

export const SOURCES: readonly SourceArticle[] = [
  {
    id: 9601,
    title: 'How to open a shop on a Sunday',
    paragraphs: [
      'A shop that opens on a Sunday needs a reason. People walk slowly on that day and they look at windows before they look at prices.',
      'Put one table outside, with three things on it. The first must be cheap, the second must be beautiful, and the third must be a surprise.',
    ],
  },
  {
    id: 9602,
    title: 'Three rules for a good newsletter',
    paragraphs: [
      'Write to one reader, not to a list. Say one thing, say it early, and stop when it is said. Send it when you have something to tell, never because it is Tuesday.',
    ],
  },
  { id: 9603, title: 'Autumn menu (placeholder)', paragraphs: [] },
  {
    id: 9604,
    title: 'Why the river walk was closed',
    paragraphs: [
      'The river walk was closed for eleven days after the storm, because two trees had fallen across the lower path and a wall had moved.',
      'It is open again, with a new rail and better lights. The town thanks the volunteers who carried the stones back by hand.',
    ],
  },
  {
    id: 9605,
    title: 'Opening hours in winter',
    paragraphs: [
      'From November to March the museum opens at ten and closes at four. The garden closes with the last light. Groups of more than eight people are asked to write a week before they come.',
    ],
  },
  {
    id: 9606,
    title: 'The bakers of the old harbour',
    paragraphs: [
      'There were nine bakers around the old harbour once, and each of them had a different bread for the ships that left before dawn.',
      'Two are left. They still bake at three in the morning, and they still leave the door open so that the smell goes down to the water.',
    ],
  },
];
