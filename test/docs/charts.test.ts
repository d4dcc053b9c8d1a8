import { expect, it } from 'vitest'
import { charts } from '../../src/faces/charts/chart.ts'
import { chartPage } from '../../src/faces/charts/page.ts'

it.each(charts().map((chart) => [chart.name, chart] as const))(
  'docs/charts/%s.md is the chart that runs (npm run docs makes it anew)',
  async (name, chart) => {
    await expect(chartPage(chart)).toMatchFileSnapshot(`../../docs/charts/${name}.md`)
  },
)
