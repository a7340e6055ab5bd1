// The functions of FMI 3.0, model exchange and co-simulation. The model has variables of type Float64 alone.

#include <stdint.h>

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void (*Logger)(void *environment, Status status, const char *category, const char *message);
typedef unsigned Reference;
typedef const char *Text;
typedef const uint8_t *Binary;

static Status told(Instance *I, bool well)
{
    if (well) return OK;
    if (I->interface.logger) ((Logger)I->interface.logger)(I->interface.environment, ERROR, "logStatusError", I->message);
    return ERROR;
}

static Status refused(Instance *I, const char *what) { return told(I, failed(I, "The model has no %s.", what)); }

FMI const char *fmi3GetVersion(void) { return "3.0"; }
FMI Status fmi3SetDebugLogging(Instance *I, bool on, size_t n, const Text categories[])
{
    return (void)I, (void)on, (void)n, (void)categories, OK;
}

static void *instantiated(Text name, Text token, void *environment, Logger logger)
{
    Instance *I = token != NULL && strcmp(token, TOKEN) == 0 ? new_instance() : NULL;
    if (I == NULL) {
        if (logger)
            logger(environment, ERROR, "logStatusError",
                   "The model could not be instantiated: its token is another one, or there is no memory.");
        return NULL;
    }
    snprintf(I->interface.name, sizeof I->interface.name, "%s", name ? name : "");
    I->interface.logger = (void (*)(void))logger;
    I->interface.environment = environment;
    return I;
}

FMI void *fmi3InstantiateModelExchange(Text name, Text token, Text resources, bool visible, bool logging, void *environment,
                                       Logger logger)
{
    (void)resources, (void)visible, (void)logging;
    return instantiated(name, token, environment, logger);
}

FMI void *fmi3InstantiateCoSimulation(Text name, Text token, Text resources, bool visible, bool logging, bool event_mode,
                                      bool early_return, const Reference required[], size_t n, void *environment,
                                      Logger logger, void (*update)(void))
{
    (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return, (void)required, (void)n, (void)update;
    return instantiated(name, token, environment, logger);
}

FMI void *fmi3InstantiateScheduledExecution(Text name, Text token, Text resources, bool visible, bool logging,
                                            void *environment, Logger logger, void (*update)(void), void (*lock)(void),
                                            void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
    if (logger) logger(environment, ERROR, "logStatusError", "Scheduled execution is not provided.");
    return NULL;
}

FMI void fmi3FreeInstance(void *I) { free(I); }

FMI Status fmi3EnterInitializationMode(Instance *I, bool has_tolerance, double tolerance, double start, bool has_stop,
                                       double stop)
{
    (void)has_stop, (void)stop;
    if (has_tolerance && tolerance > 0) I->tolerance = tolerance;
    I->t = start;
    changed(I);
    return told(I, initialize(I));
}

FMI Status fmi3ExitInitializationMode(Instance *I) { return told(I, begin(I)); }
FMI Status fmi3EnterEventMode(Instance *I) { return (void)I, OK; }
FMI Status fmi3EnterContinuousTimeMode(Instance *I) { return (void)I, OK; }
FMI Status fmi3EnterStepMode(Instance *I) { return (void)I, OK; }
FMI Status fmi3EnterConfigurationMode(Instance *I) { return (void)I, OK; }
FMI Status fmi3ExitConfigurationMode(Instance *I) { return (void)I, OK; }
FMI Status fmi3Terminate(Instance *I) { return (void)I, OK; }
FMI Status fmi3Reset(Instance *I) { return reset(I), OK; }
FMI Status fmi3EvaluateDiscreteStates(Instance *I) { return (void)I, OK; }

FMI Status fmi3GetFloat64(Instance *I, const Reference references[], size_t n, double values[], size_t m)
{
    (void)m;
    for (size_t k = 0; k < n; k++)
        if (!get_value(I, references[k], &values[k])) return told(I, false);
    return OK;
}

FMI Status fmi3SetFloat64(Instance *I, const Reference references[], size_t n, const double values[], size_t m)
{
    (void)m;
    for (size_t k = 0; k < n; k++)
        if (!set_value(I, references[k], values[k])) return told(I, false);
    return OK;
}

#define NONE_OF(TYPE, NAME) \
    FMI Status fmi3Get##NAME(Instance *I, const Reference references[], size_t n, TYPE values[], size_t m) \
    { \
        (void)references, (void)values, (void)m; \
        return n == 0 ? OK : refused(I, "variables of type " #NAME); \
    } \
    FMI Status fmi3Set##NAME(Instance *I, const Reference references[], size_t n, const TYPE values[], size_t m) \
    { \
        (void)references, (void)values, (void)m; \
        return n == 0 ? OK : refused(I, "variables of type " #NAME); \
    }
NONE_OF(float, Float32)
NONE_OF(int8_t, Int8)
NONE_OF(uint8_t, UInt8)
NONE_OF(int16_t, Int16)
NONE_OF(uint16_t, UInt16)
NONE_OF(int32_t, Int32)
NONE_OF(uint32_t, UInt32)
NONE_OF(int64_t, Int64)
NONE_OF(uint64_t, UInt64)
NONE_OF(bool, Boolean)
NONE_OF(Text, String)

FMI Status fmi3GetBinary(Instance *I, const Reference references[], size_t n, size_t sizes[], Binary values[], size_t m)
{
    (void)references, (void)sizes, (void)values, (void)m;
    return n == 0 ? OK : refused(I, "variables of type Binary");
}

FMI Status fmi3SetBinary(Instance *I, const Reference references[], size_t n, const size_t sizes[], const Binary values[],
                         size_t m)
{
    (void)references, (void)sizes, (void)values, (void)m;
    return n == 0 ? OK : refused(I, "variables of type Binary");
}

#define CLOCKS_1(NAME, A) \
    FMI Status fmi3##NAME(Instance *I, const Reference references[], size_t n, A *a) \
    { \
        (void)references, (void)a; \
        return n == 0 ? OK : refused(I, "clocks"); \
    }
#define CLOCKS_2(NAME, A, B) \
    FMI Status fmi3##NAME(Instance *I, const Reference references[], size_t n, A *a, B *b) \
    { \
        (void)references, (void)a, (void)b; \
        return n == 0 ? OK : refused(I, "clocks"); \
    }
#define CLOCKS_3(NAME, A, B, C) \
    FMI Status fmi3##NAME(Instance *I, const Reference references[], size_t n, A *a, B *b, C *c) \
    { \
        (void)references, (void)a, (void)b, (void)c; \
        return n == 0 ? OK : refused(I, "clocks"); \
    }
CLOCKS_1(GetClock, bool)
CLOCKS_1(SetClock, const bool)
CLOCKS_1(GetShiftDecimal, double)
CLOCKS_1(SetShiftDecimal, const double)
CLOCKS_1(SetIntervalDecimal, const double)
CLOCKS_2(GetIntervalDecimal, double, int)
CLOCKS_2(GetShiftFraction, uint64_t, uint64_t)
CLOCKS_2(SetShiftFraction, const uint64_t, const uint64_t)
CLOCKS_2(SetIntervalFraction, const uint64_t, const uint64_t)
CLOCKS_3(GetIntervalFraction, uint64_t, uint64_t, int)

FMI Status fmi3ActivateModelPartition(Instance *I, Reference clock, double time)
{
    return (void)clock, (void)time, refused(I, "clocks");
}

FMI Status fmi3GetNumberOfVariableDependencies(Instance *I, Reference reference, size_t *n)
{
    return (void)reference, (void)n, refused(I, "list of dependencies");
}

FMI Status fmi3GetVariableDependencies(Instance *I, Reference dependent, size_t elements[], Reference independents[],
                                       size_t others[], int kinds[], size_t n)
{
    (void)dependent, (void)elements, (void)independents, (void)others, (void)kinds, (void)n;
    return refused(I, "list of dependencies");
}

FMI Status fmi3GetFMUState(Instance *I, void **state) { return told(I, keep_state(I, I, state)); }
FMI Status fmi3SetFMUState(Instance *I, const void *state) { return restore_state(I, state), OK; }
FMI Status fmi3FreeFMUState(Instance *I, void **state) { return (void)I, forget_state(state), OK; }
FMI Status fmi3SerializedFMUStateSize(Instance *I, void *state, size_t *size) { return (void)state, *size = sizeof *I, OK; }

FMI Status fmi3SerializeFMUState(Instance *I, const void *state, uint8_t bytes[], size_t size)
{
    return told(I, fits(I, size) && memcpy(bytes, state, sizeof *I));
}

FMI Status fmi3DeserializeFMUState(Instance *I, const uint8_t bytes[], size_t size, void **state)
{
    return told(I, fits(I, size) && keep_state(I, bytes, state));
}

FMI Status fmi3GetDirectionalDerivative(Instance *I, const Reference unknowns[], size_t m, const Reference knowns[], size_t n,
                                        const double seed[], size_t k, double sensitivity[], size_t l)
{
    (void)unknowns, (void)m, (void)knowns, (void)n, (void)seed, (void)k, (void)sensitivity, (void)l;
    return refused(I, "directional derivatives");
}

FMI Status fmi3GetAdjointDerivative(Instance *I, const Reference unknowns[], size_t m, const Reference knowns[], size_t n,
                                    const double seed[], size_t k, double sensitivity[], size_t l)
{
    (void)unknowns, (void)m, (void)knowns, (void)n, (void)seed, (void)k, (void)sensitivity, (void)l;
    return refused(I, "adjoint derivatives");
}

// -- model exchange ------------------------------------------------------------------------------------------------------

FMI Status fmi3UpdateDiscreteStates(Instance *I, bool *again, bool *terminate, bool *nominals_changed, bool *values_changed,
                                    bool *next_defined, double *next)
{
    bool any = false;
    const bool well = handle_events(I, &any);
    *again = *nominals_changed = false;
    *terminate = I->stopped;
    *values_changed = any || MULTIPLIERS > 0;
    *next = next_time(I);
    *next_defined = *next < HUGE_VAL;
    return told(I, well);
}

FMI Status fmi3CompletedIntegratorStep(Instance *I, bool no_return, bool *enter_event_mode, bool *terminate)
{
    (void)no_return;
    *enter_event_mode = wants_event(I);
    *terminate = I->stopped;
    return OK;
}

FMI Status fmi3SetTime(Instance *I, double time)
{
    I->t = time;
    return changed(I), OK;
}

FMI Status fmi3SetContinuousStates(Instance *I, const double x[], size_t n) { return (void)n, set_states(I, x), OK; }
FMI Status fmi3GetContinuousStates(Instance *I, double x[], size_t n) { return (void)n, get_states(I, x), OK; }
FMI Status fmi3GetEventIndicators(Instance *I, double z[], size_t n) { return (void)n, shifted_indicators(I, z), OK; }
FMI Status fmi3GetNumberOfEventIndicators(Instance *I, size_t *n) { return (void)I, *n = INDICATORS + ATTITUDES, OK; }
FMI Status fmi3GetNumberOfContinuousStates(Instance *I, size_t *n) { return (void)I, *n = STATES, OK; }

FMI Status fmi3GetContinuousStateDerivatives(Instance *I, double dx[], size_t n)
{
    get_derivatives(I, dx);
    return is_finite(dx, (int)n) ? OK : DISCARD;
}

FMI Status fmi3GetNominalsOfContinuousStates(Instance *I, double x[], size_t n)
{
    (void)I;
    for (size_t k = 0; k < n; k++) x[k] = nominal[k] > 0 ? nominal[k] : 1.0;
    return OK;
}

// -- co-simulation -------------------------------------------------------------------------------------------------------

FMI Status fmi3GetOutputDerivatives(Instance *I, const Reference references[], size_t n, const int32_t orders[], double values[],
                                    size_t m)
{
    (void)references, (void)n, (void)orders, (void)values, (void)m;
    return refused(I, "derivatives of outputs");
}

FMI Status fmi3DoStep(Instance *I, double time, double step, bool no_return, bool *event, bool *terminate, bool *early,
                      double *last)
{
    (void)no_return;
    I->t = time;
    changed(I);
    const bool well = I->stopped || advance(I, time + step);
    *event = *early = false;
    *terminate = I->stopped;
    *last = I->t;
    return told(I, well);
}
