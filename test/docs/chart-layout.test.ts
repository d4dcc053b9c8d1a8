import { expect, it } from 'vitest'
import { charts } from '../../src/faces/charts/chart.ts'
import { chartLayout, layoutFile } from './chart-layout.ts'

it('src/faces/page/client/chart-layout.json draws the charts that run (npm run docs makes it anew)', async () => {
  const layouts = await Promise.all(charts().map(chartLayout))
  await expect(layoutFile(layouts)).toMatchFileSnapshot('../../src/faces/page/client/chart-layout.json')
})
