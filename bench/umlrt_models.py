#!/usr/bin/env python3
"""Writes models of capsules for experiments: street N (N intersections, 7 N + 1 parts), pbx (a small exchange of four subsystems)
and exchange N (the same four with N lines: 4 N + 7 parts).

    umlrt_models.py street 2 > street-2.cffsm
    umlrt_models.py pbx > pbx.cffsm
    umlrt_models.py exchange 3 > exchange-3.cffsm

Written for these experiments after the sizes that K. Zurowska's thesis (2014) gives; the models themselves are not hers.
"""

import sys

LIGHTS = """
module CarLights {
    attribute yellowD: int = 20;
    timer yellowTimer;
    in toRed(delay: int), toGreen(delay: int);
    out redSet, greenSet;
    location Red, Yellow, YellowRed, Green;
    initial -> Red;
    Red -- toGreen -> YellowRed {
        case delay > 0 { yellowD := delay; set yellowTimer; }
        otherwise { set yellowTimer; }
    }
    YellowRed -- yellowTimer -> Green { send greenSet; }
    Green -- toRed -> Yellow { set yellowTimer; }
    Yellow -- yellowTimer -> Red { send redSet; }
}

module WalkLights {
    in toWalk, stopWalk;
    out walkSet, walkStopped;
    location "No walk", Walk;
    initial -> "No walk";
    "No walk" -- toWalk -> Walk { send walkSet; }
    Walk -- stopWalk -> "No walk" { send walkStopped; }
}

// One direction: cars, then pedestrians, then the other direction.
module Direction {
    attribute carsD: int = 120;
    timer carsTimer, walkTimer;
    part cars: CarLights;
    part walk: WalkLights;
    in go(delay: int), redSet, greenSet, walkSet, walkStopped;
    out done, toRed(delay: int), toGreen(delay: int), toWalk, stopWalk;
    connect toRed -> cars.toRed;
    connect toGreen -> cars.toGreen;
    connect toWalk -> walk.toWalk;
    connect stopWalk -> walk.stopWalk;
    connect cars.redSet -> redSet;
    connect cars.greenSet -> greenSet;
    connect walk.walkSet -> walkSet;
    connect walk.walkStopped -> walkStopped;
    location Waiting, "Start cars", Cars, "Stop cars", "Start walk", Walk, "Stop walk";
    composite Operating { "Start cars", Cars, "Stop cars", "Start walk", Walk, "Stop walk" }
    initial -> Waiting;
    Waiting -- go -> "Start cars" {
        case delay > 0 { carsD := delay; send toGreen(0); }
        otherwise { send toGreen(0); }
    }
    "Start cars" -- greenSet -> Cars { set carsTimer; }
    Cars -- carsTimer -> "Stop cars" { send toRed(0); }
    "Stop cars" -- redSet -> "Start walk" { send toWalk; }
    "Start walk" -- walkSet -> Walk { set walkTimer; }
    Walk -- walkTimer -> "Stop walk" { send stopWalk; }
    "Stop walk" -- walkStopped -> Waiting { send done; }
}

module Intersection {
    attribute rounds: bool = false;
    part ns: Direction;
    part we: Direction;
    in start, nsDone, weDone;
    external in carsFirst(delay: int);
    out ready, goNs(delay: int), goWe(delay: int);
    connect goNs -> ns.go;
    connect goWe -> we.go;
    connect ns.done -> nsDone;
    connect we.done -> weDone;
    location Off, Ready, Ns, We;
    initial -> Off;
    Off -- start -> Ready { send ready; }
    Ready -- carsFirst -> Ns { send goNs(delay); }
    Ns -- nsDone -> We { send goWe(0); }
    We -- weDone -> Ready { rounds := true; }
}
"""


def street(n):
    out = [LIGHTS, "module Street {"]
    for i in range(1, n + 1):
        out.append(f"    part i{i}: Intersection;")
        out.append(f"    in ready{i};\n    out start{i};")
        out.append(f"    connect start{i} -> i{i}.start;\n    connect i{i}.ready -> ready{i};")
    names = ", ".join(["Starting"] + [f"Ready{i}" for i in range(1, n + 1)])
    out.append(f"    location {names};")
    # One after the other is switched on.
    out.append("    initial -> Starting { send start1; }")
    before = "Starting"
    for i in range(1, n + 1):
        follow = f"send start{i + 1};" if i < n else ""
        out.append(f"    {before} -- ready{i} -> Ready{i} {{ {follow} }}")
        before = f"Ready{i}"
    out.append("}\n\ntop Street as top;")
    return "\n".join(out)


LINE = """
// A small telephone exchange: operation and maintenance, a manager of devices, a controller of calls, a proxy to the outside.
module Phone {
    attribute dialled: int;
    in ring, stop, tone;
    external in lift, hangUp, dial(number: 0..2);
    out lifted, hungUp, digit(number: int);
    location OnHook, Waiting, Dialling, Ringing, Talking;
    initial -> OnHook;
    OnHook -- lift -> Waiting { send lifted; }
    OnHook -- ring -> Ringing;
    Waiting -- tone -> Dialling;
    Dialling -- dial -> Talking { dialled := number; send digit(number); }
    Ringing -- lift -> Talking { send lifted; }
    Ringing -- stop -> OnHook;
    Talking -- stop -> Waiting;
    Talking -- hangUp -> OnHook { send hungUp; }
    Waiting -- hangUp -> OnHook { send hungUp; }
}

module DeviceManager {
    attribute busy: bool;
    part phone: Phone;
    in enable, lifted, hungUp, digit(number: int), grant, ring, release;
    out request, ended, digits(number: int), doRing, doStop, doTone, enabled;
    connect doRing -> phone.ring;
    connect doStop -> phone.stop;
    connect doTone -> phone.tone;
    connect phone.lifted -> lifted;
    connect phone.hungUp -> hungUp;
    connect phone.digit -> digit;
    location Disabled, WaitingForDevice, Requested, InCall;
    initial -> Disabled;
    Disabled -- enable -> WaitingForDevice { send enabled; }
    WaitingForDevice -- lifted -> Requested { busy := true; send request; }
    WaitingForDevice -- ring -> InCall { busy := true; send doRing; }
    Requested -- grant -> InCall { send doTone; }
    Requested -- hungUp -> WaitingForDevice { busy := false; send ended; }
    InCall -- digit -> InCall { send digits(number); }
    InCall -- release -> WaitingForDevice { busy := false; send doStop; }
    InCall -- hungUp -> WaitingForDevice { busy := false; send ended; }
}

module CallController {
    attribute calls: bool;
    attribute target: int;
    in request, ended, digits(number: int), accepted, refused;
    out grant, release, setup(number: int), clear;
    location Idle, Collecting, Proceeding, Active;
    initial -> Idle;
    Idle -- request -> Collecting { calls := true; send grant; }
    Collecting -- digits [number > 0] -> Proceeding { target := number; send setup(number); }
    Collecting -- digits [number <= 0] -> Idle { calls := false; send release; }
    Collecting, Proceeding, Active -- ended -> Idle { calls := false; send clear; }
    Proceeding -- accepted -> Active;
    Proceeding -- refused -> Idle { calls := false; send release; }
}

module Proxy {
    attribute lines: int = 1;
    timer answer;
    in setup(number: int), clear, configure(number: int);
    out accepted, refused;
    location Unconfigured, Free, Calling, Connected;
    initial -> Unconfigured;
    Unconfigured -- configure -> Free { lines := number; }
    Free -- setup -> Calling {
        case number <= lines { set answer; }
        otherwise { set answer; }
    }
    Calling -- answer -> Connected { send accepted; }
    Calling, Connected -- clear -> Free;
}
"""

PBX = LINE + """
module OAM {
    attribute level: int;
    in enabled;
    external in load(number: 0..2), maintain;
    out enable, configure(number: int);
    location Off, Loaded, Operating, Maintenance;
    initial -> Off;
    Off -- load -> Loaded { level := number; send configure(number); send enable; }
    Loaded -- enabled -> Operating;
    Operating -- maintain -> Maintenance;
    Maintenance -- load -> Operating { level := number; }
}

module Exchange {
    part oam: OAM;
    part devices: DeviceManager;
    part calls: CallController;
    part proxy: Proxy;
    connect oam.enable -> devices.enable;
    connect oam.configure -> proxy.configure;
    connect devices.enabled -> oam.enabled;
    connect devices.request -> calls.request;
    connect devices.ended -> calls.ended;
    connect devices.digits -> calls.digits;
    connect calls.grant -> devices.grant;
    connect calls.release -> devices.release;
    connect calls.setup -> proxy.setup;
    connect calls.clear -> proxy.clear;
    connect proxy.accepted -> calls.accepted;
    connect proxy.refused -> calls.refused;
    location Up;
    initial -> Up;
}

top Exchange as top;
"""


SUBSYSTEMS = """
// Operation and maintenance: a console that people use, a store of what they loaded, an alarm.
module Console {
    in stored, alarm;
    external in load(number: 0..2), maintain, resume;
    out store(number: int), up, down;
    location Off, Loading, Operating, Maintenance;
    initial -> Off;
    Off -- load -> Loading { send store(number); }
    Loading -- stored -> Operating { send up; }
    Operating -- maintain -> Maintenance { send down; }
    Operating -- alarm -> Maintenance { send down; }
    Maintenance -- resume -> Operating { send up; }
    Maintenance -- load -> Loading { send store(number); }
}

module Store {
    attribute kept: int;
    timer saving;
    in store(number: int);
    out stored;
    location Empty, Saving, Kept;
    initial -> Empty;
    Empty, Kept -- store -> Saving { kept := number; set saving; }
    Saving -- saving -> Kept { send stored; }
}

module Alarm {
    timer watch;
    in up, down;
    out alarm;
    location Quiet, Watching, Ringing;
    initial -> Quiet;
    Quiet, Ringing -- up -> Watching { set watch; }
    Watching -- watch -> Ringing { send alarm; }
    Watching, Ringing -- down -> Quiet;
}

module Administration {
    attribute level: int;
    part console: Console;
    part store: Store;
    part alarm: Alarm;
    in store(number: int), up, down, enabled;
    out toStore(number: int), toUp, toDown, enable, configure(number: int);
    connect console.store -> store;
    connect console.up -> up;
    connect console.down -> down;
    connect store.stored -> console.stored;
    connect alarm.alarm -> console.alarm;
    connect toStore -> store.store;
    connect toUp -> alarm.up;
    connect toDown -> alarm.down;
    location Off, Loaded, Enabling, Operating;
    initial -> Off;
    Off -- store -> Loaded { level := number; send toStore(number); send configure(number); }
    Loaded -- up -> Enabling { send enable; send toUp; }
    Enabling -- enabled -> Operating;
    Operating -- store -> Operating { level := number; send toStore(number); send configure(number); }
    Operating -- up -> Operating { send toUp; }
    Enabling, Operating -- down -> Operating { send toDown; }
}
"""


def manager(name, part, module, n):
    """N parts that are enabled one after the other once the manager is."""
    out = [f"\nmodule {name} {{", "    in enable;", "    out enabled;"]
    for i in range(1, n + 1):
        out += [f"    part {part}{i}: {module};", f"    in ready{i};", f"    out go{i};",
                f"    connect go{i} -> {part}{i}.enable;", f"    connect {part}{i}.enabled -> ready{i};"]
    steps = [f"Enabling{i}" for i in range(1, n + 1)]
    out.append(f"    location Disabled, {', '.join(steps)}, Ready;\n    initial -> Disabled;")
    out.append("    Disabled -- enable -> Enabling1 { send go1; }")
    for i in range(1, n):
        out.append(f"    Enabling{i} -- ready{i} -> Enabling{i + 1} {{ send go{i + 1}; }}")
    out.append(f"    Enabling{n} -- ready{n} -> Ready {{ send enabled; }}\n}}")
    return "\n".join(out)


def group(name, part, module, n, configured):
    """N parts beside one another; with `configured`, a signal that is passed on to them."""
    out = [f"\nmodule {name} {{"]
    out += [f"    part {part}{i}: {module};" for i in range(1, n + 1)]
    if configured:
        out.append("    in configure(number: int);")
        for i in range(1, n + 1):
            out.append(f"    out set{i}(number: int);\n    connect set{i} -> {part}{i}.configure;")
        sends = " ".join(f"send set{i}(number);" for i in range(1, n + 1))
        out.append("    location Unconfigured, Configured;\n    initial -> Unconfigured;")
        out.append(f"    Unconfigured, Configured -- configure -> Configured {{ {sends} }}\n}}")
    else:
        out.append("    location Up;\n    initial -> Up;\n}")
    return "\n".join(out)


def exchange(n):
    out = [LINE, SUBSYSTEMS, manager("Devices", "d", "DeviceManager", n), group("Calls", "c", "CallController", n, False),
           group("Proxies", "t", "Proxy", n, True), "\nmodule Exchange {", "    part oam: Administration;", "    part devices: Devices;",
           "    part calls: Calls;", "    part proxy: Proxies;", "    connect oam.enable -> devices.enable;",
           "    connect devices.enabled -> oam.enabled;", "    connect oam.configure -> proxy.configure;"]
    for i in range(1, n + 1):
        d, c, t = f"devices.d{i}", f"calls.c{i}", f"proxy.t{i}"
        for sender, receiver, signals in [(d, c, ["request", "ended", "digits"]), (c, d, ["grant", "release"]),
                                          (c, t, ["setup", "clear"]), (t, c, ["accepted", "refused"])]:
            out += [f"    connect {sender}.{s} -> {receiver}.{s};" for s in signals]
    out.append("    location Up;\n    initial -> Up;\n}\n\ntop Exchange as top;")
    return "\n".join(out)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "street":
        print(street(int(sys.argv[2])))
    elif len(sys.argv) == 3 and sys.argv[1] == "exchange":
        print(exchange(int(sys.argv[2])))
    elif sys.argv[1:] == ["pbx"]:
        print(PBX)
    else:
        sys.exit(__doc__)
