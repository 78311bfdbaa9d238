import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as DistributionPanel, YAxisConfigBuilder } from '@grafana/grafana-foundation-sdk/heatmap';
import { PanelBuilder as NumberPanel } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StatesPanel } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TablePanel } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TrendPanel } from '@grafana/grafana-foundation-sdk/timeseries';

/** The house style: every panel has a unit, a description that says what to do, and words for "no data" that are no zero. */
export interface PanelText {
  readonly title: string;
  /** What it shows, and what to do about it. */
  readonly description: string;
  readonly unit: Unit;
}

/** One query of a panel. */
export interface Curve {
  readonly expr: string;
  /** Name of its series; `{{label}}` is the label's value. */
  readonly legend: string;
}

/** Values at and beyond which a colour holds, in ascending order; the first one's `from` does not matter. */
export type Colours = readonly { readonly from: number; readonly color: 'green' | 'yellow' | 'red' | 'blue' }[];

/** Grafana's name of a unit. */
export type Unit = 's' | 'bytes' | 'reqps' | 'cps' | 'percentunit' | 'short' | 'suffix: tok/s';

/** The dashboard's variable; its value is chosen where the dashboard is read. */
export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

const NO_DATA = 'no data';

/** Lines over time. */
export function trend(text: PanelText, curves: readonly Curve[], colours?: Colours): TrendPanel {
  return withBorders(lines(text, curves, false), colours);
}

/** Lines of seconds; on percentiles, points are requests whose trace is one click away. */
export function latency(text: Omit<PanelText, 'unit'>, curves: readonly Curve[], colours?: Colours): TrendPanel {
  return withBorders(lines({ ...text, unit: 's' }, curves, true), colours);
}

/** Areas on top of each other, which together are a whole. `outline` names series that are lines over the stack. */
export function stack(text: PanelText, curves: readonly Curve[], outline?: string): TrendPanel {
  const panel = lines(text, curves, false).fillOpacity(40).stacking(stacking(common.StackingMode.Normal));
  if (outline === undefined) return panel;
  return panel.overrideByName(outline, [
    { id: 'custom.stacking', value: { mode: common.StackingMode.None } },
    { id: 'custom.fillOpacity', value: 0 },
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 4] } },
  ]);
}

/** Areas on top of each other, as shares of their sum. */
export function shares(text: Omit<PanelText, 'unit'>, curves: readonly Curve[]): TrendPanel {
  return lines({ ...text, unit: 'percentunit' }, curves, false)
    .fillOpacity(40)
    .stacking(stacking(common.StackingMode.Percent));
}

/** Last values, large. */
export function number(
  text: PanelText,
  curves: Curve | readonly Curve[],
  colours: Colours = [{ from: 0, color: 'blue' }],
): NumberPanel {
  return new NumberPanel()
    .title(text.title)
    .description(text.description)
    .unit(text.unit)
    .datasource(DATASOURCE)
    .noValue(NO_DATA)
    .thresholds(thresholds(colours))
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.Area)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .height(4)
    .targets(queries([curves].flat(), false));
}

/** Bars over time, one for each series, which are 1 or 0. */
export function states(
  text: Omit<PanelText, 'unit'>,
  curves: readonly Curve[],
  words: { readonly one: string; readonly zero: string },
): StatesPanel {
  return new StatesPanel()
    .title(text.title)
    .description(text.description)
    .unit('short')
    .datasource(DATASOURCE)
    .noValue(NO_DATA)
    .mappings([
      {
        type: MappingType.ValueToText,
        options: {
          '0': { text: words.zero, color: 'red', index: 0 },
          '1': { text: words.one, color: 'green', index: 1 },
        },
      },
    ])
    .mergeValues(true)
    .height(8)
    .targets(queries(curves, false));
}

/** How often each range of values was observed, over time. `buckets` gives a series for each border, as its label `le`. */
export function distribution(text: PanelText, buckets: string): DistributionPanel {
  const curve = { expr: buckets, legend: '{{le}}' };
  return new DistributionPanel()
    .title(text.title)
    .description(text.description)
    .unit('short')
    .datasource(DATASOURCE)
    .noValue(NO_DATA)
    .calculate(false)
    .yAxis(new YAxisConfigBuilder().unit(text.unit))
    .height(8)
    .targets([query(curve, 0).range().format(PromQueryFormat.Heatmap)]);
}

/** The labels of series, as they are at the end of the range; `hidden` columns aside. */
export function facts(text: Omit<PanelText, 'unit'>, curve: Curve, hidden: readonly string[] = []): TablePanel {
  return new TablePanel()
    .title(text.title)
    .description(text.description)
    .unit('short')
    .datasource(DATASOURCE)
    .noValue(NO_DATA)
    .withTransformation({
      id: 'organize',
      options: { excludeByName: Object.fromEntries(['Time', ...hidden].map((name) => [name, true])) },
    })
    .height(8)
    .targets([query(curve, 0).instant().format(PromQueryFormat.Table)]);
}

/** A panel being made. */
export interface PanelBuilder extends Builder<Panel> {
  span(width: number): this;
}

function lines(text: PanelText, curves: readonly Curve[], exemplars: boolean): TrendPanel {
  return new TrendPanel()
    .title(text.title)
    .description(text.description)
    .unit(text.unit)
    .datasource(DATASOURCE)
    .noValue(NO_DATA)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName))
    .axisSoftMin(0)
    .lineWidth(1)
    .fillOpacity(5)
    .showPoints(common.VisibilityMode.Never)
    .spanNulls(false)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .height(8)
    .targets(queries(curves, exemplars));
}

/** Dashed lines at the values where a colour begins. */
function withBorders(panel: TrendPanel, colours: Colours | undefined): TrendPanel {
  if (colours === undefined) return panel;
  const style = new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed);
  return panel.thresholds(thresholds(colours)).thresholdsStyle(style);
}

function queries(curves: readonly Curve[], exemplars: boolean): DataqueryBuilder[] {
  return curves.map((curve, index) =>
    query(curve, index)
      .range()
      .exemplar(exemplars && curve.expr.includes('_bucket')),
  );
}

function query({ expr, legend }: Curve, index: number): DataqueryBuilder {
  return new DataqueryBuilder()
    .refId(String.fromCharCode(65 + index))
    .datasource(DATASOURCE)
    .expr(expr)
    .legendFormat(legend);
}

function stacking(mode: common.StackingMode): common.StackingConfigBuilder {
  return new common.StackingConfigBuilder().mode(mode).group('A');
}

function thresholds(colours: Colours): ThresholdsConfigBuilder {
  // null is what the format has for "from below everything"
  const steps = colours.map(({ from, color }, index) => ({ value: index === 0 ? null : from, color }));
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}
