import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ControlController } from './control/control.controller.ts';
import { SimulatorState } from './control/simulator-state.ts';
import { DevGatewayController } from './gateway/dev-gateway.controller.ts';
import { GatewayRoutes } from './gateway/gateway-routes.ts';
import { MediaController } from './media/media.controller.ts';
import { RenderController } from './render/render.controller.ts';
import { DecodeService } from './worker/decode.service.ts';
import { EncodeService } from './worker/encode.service.ts';
import { PrefillService } from './worker/prefill.service.ts';
import { BootstrapController } from './sidecar-worker/bootstrap.controller.ts';
import { WorkerController } from './worker/worker.controller.ts';
import { WorkerIdentity } from './worker/worker-identity.ts';

/** One server; a process has one Nest application for each port it listens on. */
@Module({})
export class SimulatorModule {
  static worker(state: SimulatorState, worker: WorkerIdentity): DynamicModule {
    return {
      module: SimulatorModule,
      controllers: [ControlController, WorkerController],
      providers: [
        { provide: SimulatorState, useValue: state },
        { provide: WorkerIdentity, useValue: worker },
        EncodeService,
        PrefillService,
        DecodeService,
      ],
    };
  }

  static render(state: SimulatorState): DynamicModule {
    return {
      module: SimulatorModule,
      controllers: [ControlController, RenderController],
      providers: [{ provide: SimulatorState, useValue: state }],
    };
  }

  static media(state: SimulatorState): DynamicModule {
    return {
      module: SimulatorModule,
      controllers: [ControlController, MediaController],
      providers: [{ provide: SimulatorState, useValue: state }],
    };
  }

  static bootstrap(state: SimulatorState): DynamicModule {
    return {
      module: SimulatorModule,
      controllers: [ControlController, BootstrapController],
      providers: [{ provide: SimulatorState, useValue: state }],
    };
  }

  static gateway(state: SimulatorState, routes: GatewayRoutes): DynamicModule {
    return {
      module: SimulatorModule,
      controllers: [ControlController, DevGatewayController],
      providers: [
        { provide: SimulatorState, useValue: state },
        { provide: GatewayRoutes, useValue: routes },
      ],
    };
  }
}
