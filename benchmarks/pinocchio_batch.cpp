// Many states through Pinocchio's recursive Newton-Euler and articulated body algorithms, in one C++ loop.
// States are rows of n doubles, as in easydyn's arrays with a leading axis. Everything comes from Pinocchio's headers,
// so that it is compiled for this processor; evaluation.py calls it.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <string>

namespace pin = pinocchio;

struct System {
    pin::Model model;
    pin::Data data;
    explicit System(const pin::Model &m) : model(m), data(m) {}
};

typedef Eigen::Map<const Eigen::VectorXd> Row;

extern "C" {

// axis: 0, 1, 2 for x, y, z; joint, com: n x 3; inertia: n x 6 as xx, yy, zz, xy, yz, xz.
void *chain(int n, const int *axis, const double *joint, const double *mass, const double *com, const double *inertia,
            const double *gravity) {
    pin::Model model;
    model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
    pin::JointIndex parent = 0;
    for (int i = 0; i < n; ++i) {
        const pin::SE3 place(Eigen::Matrix3d::Identity(), Eigen::Map<const Eigen::Vector3d>(joint + 3 * i));
        const std::string name = "q" + std::to_string(i + 1);
        if (axis[i] == 0) parent = model.addJoint(parent, pin::JointModelRX(), place, name);
        if (axis[i] == 1) parent = model.addJoint(parent, pin::JointModelRY(), place, name);
        if (axis[i] == 2) parent = model.addJoint(parent, pin::JointModelRZ(), place, name);
        const double *I = inertia + 6 * i;
        Eigen::Matrix3d tensor;
        tensor << I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2];
        const Eigen::Vector3d centre = Eigen::Map<const Eigen::Vector3d>(com + 3 * i);
        model.appendBodyToJoint(parent, pin::Inertia(mass[i], centre, tensor), pin::SE3::Identity());
    }
    return new System(model);
}

void destroy(void *system) { delete static_cast<System *>(system); }

void rnea(void *system, long states, const double *q, const double *qd, const double *qdd, double *f) {
    System &s = *static_cast<System *>(system);
    const int n = s.model.nv;
    for (long k = 0; k < states; ++k) {
        const long at = k * n;
        Eigen::Map<Eigen::VectorXd>(f + at, n) =
            pin::rnea(s.model, s.data, Row(q + at, n), Row(qd + at, n), Row(qdd + at, n));
    }
}

void aba(void *system, long states, const double *q, const double *qd, double *qdd) {
    System &s = *static_cast<System *>(system);
    const int n = s.model.nv;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
    for (long k = 0; k < states; ++k) {
        const long at = k * n;
        Eigen::Map<Eigen::VectorXd>(qdd + at, n) =
            pin::aba(s.model, s.data, Row(q + at, n), Row(qd + at, n), none, pin::Convention::LOCAL);
    }
}
}
